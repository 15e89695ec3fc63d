#include <control/keras_model.h>

#include <imports/keras_model.h>
#include <keras/isolated.h>

namespace lockstep::control {

Result<std::optional<keras::KerasFile>> resolveModel(spec::RunSpec& spec) {
    if (!spec.model.keras) return std::optional<keras::KerasFile>();
    LS_TRY_ASSIGN(keras::KerasFile file, keras::readKerasIsolated(*spec.model.keras));
    LS_TRY_ASSIGN(spec.model.architecture, imports::architectureOf(file, spec.model.keras->string()));
    // Also where the hash of the specification sees them.
    spec.model.layers = spec.model.architecture->layers;
    return std::optional<keras::KerasFile>(std::move(file));
}

}  // namespace lockstep::control
