#include "commands.h"
#include "project_access.h"

#include <base/units.h>

namespace lockstep::cli {
namespace {

class Devices : public Command {
public:
    void declare(CLI::App&) override {}

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MayBeNew));
        LS_TRY_ASSIGN(const auto host, workbench->checks().thisHost());
        context.output.json({{"schema", 1}, {"hosts", Json::array({hostObject(host)})}});
        context.output.line(host.name + "  " + host.system);
        context.output.line("  " + host.processor + ", " + std::to_string(host.cores) + " usable processors, " +
                            std::to_string(host.physicalCores) + " cores, best instruction set " + host.isa);
        context.output.line("  memory " + formatBytes(host.memoryBytes) + ", free " + formatBytes(host.availableBytes) +
                            "; shared memory free " + formatBytes(host.shmBytes) + "; disk free " + formatBytes(host.diskFreeBytes));
        std::vector<std::vector<std::string>> rows{{"  DEVICE", "KIND", "CORES", "MEMORY", "NAME"}};
        for (const auto& device : host.devices)
            rows.push_back({"  " + device.id, device.kind, std::to_string(device.cores), formatBytes(device.memoryBytes), device.name});
        context.output.line(formatTable(rows));
        return 0;
    }

private:
    static Json hostObject(const api::HostView& host) {
        Json object{{"host", host.name},
                    {"address", host.address},
                    {"system", host.system},
                    {"processor", host.processor},
                    {"isa", host.isa},
                    {"cores", host.cores},
                    {"physical_cores", host.physicalCores},
                    {"memory_bytes", host.memoryBytes},
                    {"available_bytes", host.availableBytes},
                    {"shm_bytes", host.shmBytes},
                    {"disk_free_bytes", host.diskFreeBytes}};
        auto& devices = object["devices"] = Json::array();
        for (const auto& device : host.devices)
            devices.push_back({{"device", device.id},
                               {"kind", device.kind},
                               {"name", device.name},
                               {"cores", device.cores},
                               {"memory_bytes", device.memoryBytes},
                               {"available_bytes", device.availableBytes}});
        return object;
    }
};

}  // namespace

std::unique_ptr<Command> makeDevices() { return std::make_unique<Devices>(); }

}  // namespace lockstep::cli
