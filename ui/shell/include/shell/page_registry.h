// Which pages the window has. Adding a page = one call of add(); the shell knows none by name.
#pragma once

#include <pages/page.h>

#include <functional>
#include <vector>

namespace lockstep::shell {

// Groups of the page bar, from top to bottom; Bottom stands at its lower end.
enum class PageGroup : std::uint8_t { Overview, SetUp, Watch, Measure, Bottom };

struct PageEntry {
    PageGroup group{};
    // Called once, while the window is made. The parent owns the page.
    std::function<pages::Page*(QWidget* parent)> factory;
};

class PageRegistry {
public:
    void add(PageGroup group, std::function<pages::Page*(QWidget* parent)> factory) { m_entries.push_back({group, std::move(factory)}); }
    const std::vector<PageEntry>& entries() const { return m_entries; }

private:
    std::vector<PageEntry> m_entries;
};

}  // namespace lockstep::shell
