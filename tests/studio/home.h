// A person's empty home for one test: every XDG folder below one scratch folder.
#pragma once

#include <support/scratch.h>

#include <QByteArray>
#include <QtGlobal>

namespace lockstep::test {

class Home {
public:
    Home() {
        for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}) {
            const auto folder = m_scratch.path() / name;
            std::filesystem::create_directories(folder);
            std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
            qputenv(name, QByteArray::fromStdString(folder.string()));
        }
    }
    const std::filesystem::path& path() const { return m_scratch.path(); }

private:
    Scratch m_scratch;
};

}  // namespace lockstep::test
