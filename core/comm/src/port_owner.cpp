#include <comm/port_owner.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lockstep::comm {
namespace {

constexpr std::size_t kCommandLimit = 160;

// The socket's inode from /proc/net/tcp or tcp6; columns: slot, local, remote, state (0A = listening), ..., inode tenth.
std::optional<std::string> listeningInode(const char* table, int port) {
    char wanted[8];
    std::snprintf(wanted, sizeof wanted, ":%04X", static_cast<unsigned>(port) & 0xFFFF);
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string slot, local, remote, state, queues, timer, retransmits, user, timeout, inode;
        words >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
        if (state == "0A" && local.ends_with(wanted)) return inode;
    }
    return std::nullopt;
}

bool holdsSocket(const std::filesystem::path& process, const std::string& link) {
    std::error_code status;
    for (std::filesystem::directory_iterator at(process / "fd", status), end; !status && at != end; at.increment(status)) {
        std::error_code unreadable;
        if (std::filesystem::read_symlink(at->path(), unreadable) == link) return true;
    }
    return false;
}

std::string commandOf(const std::filesystem::path& process) {
    std::ifstream file(process / "cmdline", std::ios::binary);
    std::string text(kCommandLimit, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    while (!text.empty() && text.back() == '\0') text.pop_back();
    for (char& letter : text)
        if (letter < ' ' || letter > '~') letter = letter == '\0' ? ' ' : '?';
    return text;
}

}  // namespace

std::string PortOwner::text() const {
    if (processId == 0) return "a process of another user";
    return "process " + std::to_string(processId) + (command.empty() ? "" : " (" + command + ")");
}

std::optional<PortOwner> findPortOwner(int port) {
    auto inode = listeningInode("/proc/net/tcp", port);
    if (!inode.has_value()) inode = listeningInode("/proc/net/tcp6", port);
    if (!inode.has_value()) return std::nullopt;
    const auto link = "socket:[" + *inode + "]";
    std::error_code status;
    for (std::filesystem::directory_iterator at("/proc", status), end; !status && at != end; at.increment(status)) {
        const auto name = at->path().filename().string();
        int process = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), process);
        if (parsed.ptr != name.data() + name.size() || parsed.ec != std::errc()) continue;
        if (holdsSocket(at->path(), link)) return PortOwner{process, commandOf(at->path())};
    }
    return PortOwner{};
}

}  // namespace lockstep::comm
