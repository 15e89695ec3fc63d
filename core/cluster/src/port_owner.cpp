#include <cluster/port_owner.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace lockstep::cluster {
namespace {

constexpr std::size_t kLongestCommand = 120;
constexpr std::string_view kListening = "0A";

struct Row {
    std::uint64_t inode = 0;
    unsigned user = 0;
};

// One row of /proc/net/tcp: "0: 0100007F:3039 00000000:0000 0A … uid timeout inode …".
void readTable(const std::filesystem::path& file, int port, std::vector<Row>& rows) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);  // the heading
    while (std::getline(stream, line)) {
        std::istringstream words(line);
        std::string number, local, remote, state, queues, timer, retransmits;
        Row row;
        std::string timeout;
        if (!(words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> row.user >> timeout >> row.inode)) continue;
        const std::size_t colon = local.rfind(':');
        if (state != kListening || colon == std::string::npos) continue;
        int found = 0;
        const char* begin = local.data() + colon + 1;
        std::from_chars(begin, local.data() + local.size(), found, 16);
        if (found == port) rows.push_back(row);
    }
}

std::string commandOf(const std::filesystem::path& process) {
    std::ifstream stream(process / "cmdline", std::ios::binary);
    std::string text(kLongestCommand, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    while (!text.empty() && text.back() == '\0') text.pop_back();
    for (char& letter : text) {
        if (static_cast<unsigned char>(letter) < 0x20) letter = ' ';
    }
    if (text.empty()) std::getline(std::ifstream(process / "comm"), text);
    return text;
}

std::string userName(unsigned user) {
    struct passwd entry {};
    struct passwd* found = nullptr;
    std::vector<char> buffer(16384);
    if (getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) return found->pw_name;
    return std::to_string(user);
}

bool holdsSocket(const std::filesystem::path& process, const std::set<std::string>& sockets) {
    std::error_code problem;
    for (auto entry = std::filesystem::directory_iterator(process / "fd", problem);
         !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
        std::error_code unreadable;
        const auto target = std::filesystem::read_symlink(entry->path(), unreadable);
        if (!unreadable && sockets.contains(target.string())) return true;
    }
    return false;
}

}  // namespace

std::optional<PortOwner> findPortOwner(int port, const std::filesystem::path& proc) {
    std::vector<Row> rows;
    readTable(proc / "net/tcp", port, rows);
    readTable(proc / "net/tcp6", port, rows);
    if (rows.empty()) return std::nullopt;
    PortOwner owner;
    owner.port = port;
    owner.user = userName(rows[0].user);
    std::set<std::string> sockets;
    for (const Row& row : rows) sockets.insert("socket:[" + std::to_string(row.inode) + "]");
    std::error_code problem;
    for (auto entry = std::filesystem::directory_iterator(proc, problem); !problem && entry != std::filesystem::directory_iterator();
         entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        int pid = 0;
        const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (status != std::errc() || end != name.data() + name.size() || !holdsSocket(entry->path(), sockets)) continue;
        owner.pid = pid;
        owner.command = commandOf(entry->path());
        return owner;
    }
    return owner;
}

std::string describe(const PortOwner& owner) {
    if (owner.pid == 0) return "a process of " + owner.user;
    return owner.command + " (pid " + std::to_string(owner.pid) + ", " + owner.user + ")";
}

}  // namespace lockstep::cluster
