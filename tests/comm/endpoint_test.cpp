#include <support/test.h>

#include <comm/endpoint.h>
#include <comm/port_owner.h>

#include <unistd.h>

using namespace lockstep;
using comm::Endpoint;

class EndpointTest : public QObject {
    Q_OBJECT
private slots:
    void forms() {
        QVERIFY((*comm::parseEndpoint("localhost:12345") == Endpoint{"localhost", 12345}));
        QVERIFY((*comm::parseEndpoint("[::1]:80") == Endpoint{"::1", 80}));
        QCOMPARE(comm::parseEndpoint("[::1]:80")->text(), std::string("[::1]:80"));
        QCOMPARE(comm::parseEndpoint("10.0.0.1:0")->text(), std::string("10.0.0.1:0"));
        for (const auto* wrong : {"", "host", ":80", "::1:80", "host:", "host:x", "host:70000", "host:-1", "host:80x", "[]:80", "[::1]80"})
            VERIFY_ERROR(comm::parseEndpoint(wrong), "N406");
    }
    void takenPortNamesItsOwner() {
        const auto first = comm::listenAt({"127.0.0.1", 0});
        VERIFY_OK(first);
        const auto second = comm::listenAt({"127.0.0.1", first->port});
        VERIFY_ERROR(second, "N403");
        const auto owner = "process " + std::to_string(getpid()) + " (";
        QVERIFY2(second.error().message.find(owner) != std::string::npos, second.error().message.c_str());
        QVERIFY2(second.error().message.find("test_comm") != std::string::npos, second.error().message.c_str());
        QVERIFY(!comm::findPortOwner(0).has_value());
    }
    void addressesOfOthersAreRefused() {
        VERIFY_ERROR(comm::listenAt({"192.0.2.1", 0}), "N406");
        VERIFY_ERROR(comm::listenAt({"no-such-host.invalid", 0}), "N406");
    }
};

LOCKSTEP_TEST(EndpointTest)
#include "endpoint_test.moc"
