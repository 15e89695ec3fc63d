// ResNet-20 for 32×32 pictures as a forward graph: 3×3 convolutions without bias, batch normalisation, projection shortcuts.
#pragma once

#include <nn/model.h>

namespace lockstep::bench {

Result<graph::Graph> resnet20(std::int64_t rows);

}  // namespace lockstep::bench
