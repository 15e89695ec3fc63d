// A tile of channels over a run of places: where it starts in memory and how far apart its places are.
struct Strip {
    std::size_t at;      // elements from the start of the tensor
    std::size_t stride;  // elements between places
    std::size_t places;
    std::size_t before;  // places of these channels that earlier strips had
    std::size_t lane;    // first lane
    std::size_t lanes;   // of this tile
};

// Visits everything once, in strips short enough to be read twice from the first cache.
template <class Visitor>
void forStrips(const ChannelView& view, std::size_t images, Visitor visit) {
    constexpr std::size_t kElements = 4096;
    std::size_t places = view.places;
    const std::size_t image = view.blocks * view.width * view.places;
    if (view.blocks == 1) {  // channels last: images follow each other as places do
        places *= images;
        images = images < 1 ? images : 1;
    }
    const std::size_t wanted = kElements / view.width;
    const std::size_t run = wanted < 16 ? 16 : (wanted > 512 ? 512 : wanted);  // and for float sums to stay accurate
    for (std::size_t i = 0; i < images; ++i)
        for (std::size_t block = 0; block < view.blocks; ++block)
            for (std::size_t place = 0; place < places; place += run) {
                Strip strip{};
                strip.stride = view.width;
                strip.places = places - place < run ? places - place : run;
                strip.before = i * places + place;
                for (std::size_t lane = 0; lane < view.width; lane += strip.lanes) {
                    const std::size_t left = view.width - lane;
                    strip.lanes = left >= 16 ? 16 : (left >= 8 ? 8 : left);
                    strip.lane = block * view.width + lane;
                    strip.at = i * image + (block * places + place) * view.width + lane;
                    if (strip.lanes == 16)
                        visit(Tile<16>{}, strip);
                    else if (strip.lanes == 8)
                        visit(Tile<8>{}, strip);
                    else
                        visit(Tile<0>{}, strip);
                }
            }
}

// Adds a strip's mean and squared distances to those of the strips before it (Chan, Golub and LeVeque 1979).
void mergeMoments(const float* stripSums, const float* stripSquares, const Strip& strip, double* means, double* squares) {
    const auto here = static_cast<double>(strip.places);
    const auto before = static_cast<double>(strip.before);
    const double share = here / (before + here);
    for (std::size_t l = 0; l < strip.lanes; ++l) {
        const double distance = static_cast<double>(stripSums[l]) - means[l];
        means[l] += distance * share;
        squares[l] += static_cast<double>(stripSquares[l]) + distance * distance * before * share;
    }
}

template <class T, class E>
void stripMoments(const E* x, const Strip& strip, double* means, double* squares) {
    using Vector = typename T::Vector;
    Vector sum[4] = {}, square[4] = {}, v;
    const std::size_t whole = strip.places / 4 * 4;
    for (std::size_t p = 0; p < whole; p += 4)
        for (std::size_t k = 0; k < 4; ++k) {
            T::load(v, x + (p + k) * strip.stride, strip.lanes);
            sum[k] += v;
        }
    for (std::size_t p = whole; p < strip.places; ++p) {
        T::load(v, x + p * strip.stride, strip.lanes);
        sum[0] += v;
    }
    const Vector mean = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * (1.0F / static_cast<float>(strip.places));
    for (std::size_t p = 0; p < whole; p += 4)
        for (std::size_t k = 0; k < 4; ++k) {
            T::load(v, x + (p + k) * strip.stride, strip.lanes);
            v -= mean;
            square[k] += v * v;
        }
    for (std::size_t p = whole; p < strip.places; ++p) {
        T::load(v, x + p * strip.stride, strip.lanes);
        v -= mean;
        square[0] += v * v;
    }
    const Vector all = (square[0] + square[1]) + (square[2] + square[3]);
    float meanOf[T::kCount], squareOf[T::kCount];
    __builtin_memcpy(meanOf, &mean, sizeof mean);
    __builtin_memcpy(squareOf, &all, sizeof all);
    mergeMoments(meanOf, squareOf, strip, means, squares);
}

template <class E>
void moments(const E* x, const ChannelView& view, std::size_t images, double* means, double* squares) {
    for (std::size_t l = 0; l < view.blocks * view.width; ++l) means[l] = squares[l] = 0;
    forStrips(view, images, [&](auto tile, const Strip& strip) {
        stripMoments<decltype(tile)>(x + strip.at, strip, means + strip.lane, squares + strip.lane);
    });
}

template <class T, bool kAdd, bool kRectify, class E>
void stripNormalize(const NormalizeCall<E>& call, const Strip& strip) {
    using Vector = typename T::Vector;
    Vector mean, factor, shift, v, a;
    T::load(mean, call.mean + strip.lane, strip.lanes);
    T::load(factor, call.scale + strip.lane, strip.lanes);
    T::load(shift, call.shift + strip.lane, strip.lanes);
    const E *const x = call.x, *const addend = call.addend;
    E* const y = call.y;
    for (std::size_t p = 0, at = strip.at; p < strip.places; ++p, at += strip.stride) {
        T::load(v, x + at, strip.lanes);
        v = (v - mean) * factor + shift;
        if constexpr (kAdd) {
            T::load(a, addend + at, strip.lanes);
            v += a;
        }
        if constexpr (kRectify) v = v < Vector{} ? Vector{} : v;
        T::store(v, y + at, strip.lanes);
    }
}

template <bool kAdd, bool kRectify, class E>
void normalizeAs(const NormalizeCall<E>& call, const ChannelView& view, std::size_t images) {
    forStrips(view, images, [&](auto tile, const Strip& strip) { stripNormalize<decltype(tile), kAdd, kRectify>(call, strip); });
}

template <class E>
void normalize(const NormalizeCall<E>& call, const ChannelView& view, std::size_t images) {
    if (call.addend != nullptr)
        return call.rectify != 0 ? normalizeAs<true, true>(call, view, images) : normalizeAs<true, false>(call, view, images);
    return call.rectify != 0 ? normalizeAs<false, true>(call, view, images) : normalizeAs<false, false>(call, view, images);
}

// The vectors both gradients work with at one place.
template <class T, GradMask kMask, class E>
struct Gradient {
    using Vector = typename T::Vector;
    const E *x, *y;
    std::size_t lanes;
    Vector mean, factor, shift, distance, dy;

    Gradient(const NormGradCall<E>& call, const Strip& strip) : x(call.x), y(call.y), lanes(strip.lanes) {
        T::load(mean, call.mean + strip.lane, lanes);
        T::load(factor, call.scale + strip.lane, lanes);
        if constexpr (kMask == GradMask::ByInput) T::load(shift, call.shift + strip.lane, lanes);
    }
    void mask(std::size_t at) {
        Vector v;
        T::load(v, x + at, lanes);
        distance = v - mean;
        if constexpr (kMask == GradMask::ByInput) {
            const Vector result = (v - mean) * factor + shift;
            dy = result > Vector{} ? dy : Vector{};
        }
        if constexpr (kMask == GradMask::ByResult) {
            T::load(v, y + at, lanes);
            dy = v > Vector{} ? dy : Vector{};
        }
    }
};

template <class T, GradMask kMask, bool kSum, class E>
void stripReduce(const NormGradCall<E>& call, const Strip& strip, double* products, double* sums) {
    using Vector = typename T::Vector;
    Gradient<T, kMask, E> gradient(call, strip);
    Vector product[2] = {}, sum[2] = {}, other;
    const E *const dy = call.dy, *const also = call.also;
    E* const total = call.total;
    const auto take = [&](std::size_t at, std::size_t chain) {
        T::load(gradient.dy, dy + at, strip.lanes);
        if constexpr (kSum) {
            T::load(other, also + at, strip.lanes);
            gradient.dy += other;
        }
        gradient.mask(at);
        if constexpr (kSum) T::store(gradient.dy, total + at, strip.lanes);
        product[chain] += gradient.dy * gradient.distance;
        sum[chain] += gradient.dy;
    };
    std::size_t at = strip.at;
    for (std::size_t p = 1; p < strip.places; p += 2, at += 2 * strip.stride) {
        take(at, 0);
        take(at + strip.stride, 1);
    }
    if (strip.places % 2 != 0) take(at, 0);
    const Vector allProducts = product[0] + product[1], allSums = sum[0] + sum[1];
    for (std::size_t l = 0; l < strip.lanes; ++l) {
        products[l] += static_cast<double>(allProducts[l]);
        sums[l] += static_cast<double>(allSums[l]);
    }
}

template <GradMask kMask, class E>
void reduceAs(const NormGradCall<E>& call, const ChannelView& view, std::size_t images, double* products, double* sums) {
    if (call.also != nullptr)
        return forStrips(view, images, [&](auto tile, const Strip& strip) {
            stripReduce<decltype(tile), kMask, true>(call, strip, products + strip.lane, sums + strip.lane);
        });
    forStrips(view, images, [&](auto tile, const Strip& strip) {
        stripReduce<decltype(tile), kMask, false>(call, strip, products + strip.lane, sums + strip.lane);
    });
}

template <class E>
void reduceGrad(const NormGradCall<E>& call, const ChannelView& view, std::size_t images, double* products, double* sums) {
    for (std::size_t l = 0; l < view.blocks * view.width; ++l) products[l] = sums[l] = 0;
    switch (call.mask) {
        case GradMask::None: return reduceAs<GradMask::None>(call, view, images, products, sums);
        case GradMask::ByResult: return reduceAs<GradMask::ByResult>(call, view, images, products, sums);
        case GradMask::ByInput: return reduceAs<GradMask::ByInput>(call, view, images, products, sums);
    }
}

template <class T, GradMask kMask, class E>
void stripInputGrad(const NormGradCall<E>& call, const Strip& strip) {
    using Vector = typename T::Vector;
    Gradient<T, kMask, E> gradient(call, strip);
    Vector offset, slope;
    T::load(offset, call.offset + strip.lane, strip.lanes);
    T::load(slope, call.slope + strip.lane, strip.lanes);
    const E* const dy = call.dy;
    E* const target = call.dx;
    for (std::size_t p = 0, at = strip.at; p < strip.places; ++p, at += strip.stride) {
        T::load(gradient.dy, dy + at, strip.lanes);
        gradient.mask(at);
        const Vector dx = gradient.factor * (gradient.dy - offset - gradient.distance * slope);
        T::store(dx, target + at, strip.lanes);
    }
}

template <GradMask kMask, class E>
void inputGradAs(const NormGradCall<E>& call, const ChannelView& view, std::size_t images) {
    forStrips(view, images, [&](auto tile, const Strip& strip) { stripInputGrad<decltype(tile), kMask>(call, strip); });
}

template <class E>
void inputGrad(const NormGradCall<E>& call, const ChannelView& view, std::size_t images) {
    switch (call.mask) {
        case GradMask::None: return inputGradAs<GradMask::None>(call, view, images);
        case GradMask::ByResult: return inputGradAs<GradMask::ByResult>(call, view, images);
        case GradMask::ByInput: return inputGradAs<GradMask::ByInput>(call, view, images);
    }
}

template <class E>
constexpr NormLoops<E> kNorms = {moments<E>, normalize<E>, reduceGrad<E>, inputGrad<E>};
