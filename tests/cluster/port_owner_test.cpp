#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <cluster/port_owner.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace lockstep;
using namespace lockstep::cluster;

namespace {

// A socket bound to a free port of `family`'s loopback.
Fd boundSocket(int family, int& port) {
    Fd fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage storage{};
    socklen_t size = 0;
    if (family == AF_INET) {
        auto* address = reinterpret_cast<sockaddr_in*>(&storage);
        address->sin_family = AF_INET;
        address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        size = sizeof(sockaddr_in);
    } else {
        auto* address = reinterpret_cast<sockaddr_in6*>(&storage);
        address->sin6_family = AF_INET6;
        address->sin6_addr = in6addr_loopback;
        size = sizeof(sockaddr_in6);
    }
    if (bind(fd.get(), reinterpret_cast<sockaddr*>(&storage), size) != 0) return Fd();
    getsockname(fd.get(), reinterpret_cast<sockaddr*>(&storage), &size);
    port = ntohs(family == AF_INET ? reinterpret_cast<sockaddr_in*>(&storage)->sin_port
                                   : reinterpret_cast<sockaddr_in6*>(&storage)->sin6_port);
    return fd;
}

}  // namespace

class PortOwnerTest : public QObject {
    Q_OBJECT
private slots:
    void ownListener_data() {
        QTest::addColumn<int>("family");
        QTest::newRow("v4") << AF_INET;
        QTest::newRow("v6") << AF_INET6;
    }

    void ownListener() {
        QFETCH(int, family);
        int port = 0;
        Fd fd = boundSocket(family, port);
        if (!fd.valid()) QSKIP("this family is not configured here");
        QVERIFY(!findPortOwner(port));  // bound, but nobody listens
        QCOMPARE(listen(fd.get(), 1), 0);
        const auto owner = findPortOwner(port);
        QVERIFY(owner.has_value());
        QCOMPARE(owner->pid, static_cast<int>(getpid()));
        QVERIFY2(owner->command.find("test_cluster") != std::string::npos, owner->command.c_str());
        QVERIFY(describe(*owner).find("(pid " + std::to_string(getpid())) != std::string::npos);
        fd.reset();
        QVERIFY(!findPortOwner(port));
    }

    void processThatCannotBeSeen() {
        test::Scratch scratch;
        VERIFY_OK(makeFolders(scratch / "net"));
        VERIFY_OK(
            replaceFile(scratch / "net/tcp",
                        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
                        "   0: 0100007F:3039 00000000:0000 0A 00000000:00000000 00:00000000 00000000 54321        0 99 1 0 100 0 0 10 0\n"
                        "   1: 0100007F:303A 00000000:0000 01 00000000:00000000 00:00000000 00000000 54321        0 98 1 0 100 0 0 10 0\n"
                        "a broken line\n"));
        const auto owner = findPortOwner(12345, scratch.path());
        QVERIFY(owner.has_value());
        QCOMPARE(owner->pid, 0);
        QCOMPARE(describe(*owner), std::string("a process of 54321"));
        QVERIFY(!findPortOwner(12346, scratch.path()));  // connected, not listening
    }
};

LOCKSTEP_TEST(PortOwnerTest)
#include "port_owner_test.moc"
