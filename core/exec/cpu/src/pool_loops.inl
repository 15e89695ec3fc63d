// The part of one window that lies inside the picture.
struct Span {
    std::ptrdiff_t top, bottom, left, right;
};

Span spanOf(const PoolShape& s, std::ptrdiff_t row, std::ptrdiff_t column) {
    const std::ptrdiff_t top = row * s.strideHeight - s.padTop, left = column * s.strideWidth - s.padLeft;
    const std::ptrdiff_t bottom = top + s.windowHeight, right = left + s.windowWidth;
    return {top < 0 ? 0 : top, bottom > s.inHeight ? s.inHeight : bottom, left < 0 ? 0 : left, right > s.inWidth ? s.inWidth : right};
}

// Visits every tile of channels of every image: where it starts in the larger and in the smaller picture.
template <class Visitor>
void forPictures(const PoolShape& s, std::size_t images, Visitor visit) {
    const auto in = static_cast<std::size_t>(s.inHeight * s.inWidth), out = static_cast<std::size_t>(s.outHeight * s.outWidth);
    for (std::size_t picture = 0; picture < images * s.blocks; ++picture) {
        std::size_t lanes = 0;
        for (std::size_t lane = 0; lane < s.width; lane += lanes) {
            const std::size_t left = s.width - lane;
            lanes = left >= 16 ? 16 : (left >= 8 ? 8 : left);
            const std::size_t inAt = picture * in * s.width + lane, outAt = picture * out * s.width + lane;
            if (lanes == 16)
                visit(Tile<16>{}, inAt, outAt, lanes);
            else if (lanes == 8)
                visit(Tile<8>{}, inAt, outAt, lanes);
            else
                visit(Tile<0>{}, inAt, outAt, lanes);
        }
    }
}

template <class T>
void largestOf(typename T::Vector& best, const float* x, const PoolShape& s, const Span& span, std::size_t lanes) {
    const auto stride = static_cast<std::ptrdiff_t>(s.width);
    T::load(best, x + (span.top * s.inWidth + span.left) * stride, lanes);
    for (std::ptrdiff_t row = span.top; row < span.bottom; ++row)
        for (std::ptrdiff_t column = span.left; column < span.right; ++column) {
            typename T::Vector v;
            T::load(v, x + (row * s.inWidth + column) * stride, lanes);
            best = v > best ? v : best;
        }
}

void maxPool(const float* x, float* y, const PoolShape& shape, std::size_t images) {
    forPictures(shape, images, [&](auto tile, std::size_t inAt, std::size_t outAt, std::size_t lanes) {
        using T = decltype(tile);
        float* target = y + outAt;
        for (std::ptrdiff_t row = 0; row < shape.outHeight; ++row)
            for (std::ptrdiff_t column = 0; column < shape.outWidth; ++column, target += shape.width) {
                typename T::Vector best;
                largestOf<T>(best, x + inAt, shape, spanOf(shape, row, column), lanes);
                T::store(best, target, lanes);
            }
    });
}

// kOnce: no place lies in two windows, so what is there need not be read.
template <class T, bool kOnce>
void windowGrad(const typename T::Vector& dy, const float* x, float* dx, const PoolShape& s, const Span& span, std::size_t lanes,
                int onlyPositive) {
    using Vector = typename T::Vector;
    Vector best, v, sum, gradient = dy;
    largestOf<T>(best, x, s, span, lanes);
    if (onlyPositive != 0) gradient = best > Vector{} ? gradient : Vector{};
    for (std::ptrdiff_t row = span.top; row < span.bottom; ++row)
        for (std::ptrdiff_t column = span.left; column < span.right; ++column) {
            const std::ptrdiff_t at = (row * s.inWidth + column) * static_cast<std::ptrdiff_t>(s.width);
            T::load(v, x + at, lanes);
            const Vector here = v == best ? gradient : Vector{};
            gradient -= here;  // the first one takes all of it
            sum = here;
            if constexpr (!kOnce) {
                T::load(sum, dx + at, lanes);
                sum += here;
            }
            T::store(sum, dx + at, lanes);
        }
}

template <bool kOnce>
void maxPoolGradAs(const float* dy, const float* x, float* dx, const PoolShape& shape, std::size_t images, int onlyPositive) {
    forPictures(shape, images, [&](auto tile, std::size_t inAt, std::size_t outAt, std::size_t lanes) {
        using T = decltype(tile);
        const float* source = dy + outAt;
        for (std::ptrdiff_t row = 0; row < shape.outHeight; ++row)
            for (std::ptrdiff_t column = 0; column < shape.outWidth; ++column, source += shape.width) {
                typename T::Vector gradient;
                T::load(gradient, source, lanes);
                windowGrad<T, kOnce>(gradient, x + inAt, dx + inAt, shape, spanOf(shape, row, column), lanes, onlyPositive);
            }
    });
}

void maxPoolGrad(const float* dy, const float* x, float* dx, const PoolShape& s, std::size_t images, int onlyPositive) {
    const bool once = s.strideHeight >= s.windowHeight && s.strideWidth >= s.windowWidth;
    const bool covered = s.strideHeight <= s.windowHeight && s.strideWidth <= s.windowWidth &&
                         (s.outHeight - 1) * s.strideHeight + s.windowHeight - s.padTop >= s.inHeight &&
                         (s.outWidth - 1) * s.strideWidth + s.windowWidth - s.padLeft >= s.inWidth;
    const std::size_t image = s.blocks * s.width * static_cast<std::size_t>(s.inHeight * s.inWidth);
    const std::size_t outImage = s.blocks * s.width * static_cast<std::size_t>(s.outHeight * s.outWidth);
    for (std::size_t i = 0; i < images; ++i, dy += outImage, x += image, dx += image) {
        if (!once || !covered) __builtin_memset(dx, 0, image * sizeof(float));
        if (once)
            maxPoolGradAs<true>(dy, x, dx, s, 1, onlyPositive);
        else
            maxPoolGradAs<false>(dy, x, dx, s, 1, onlyPositive);
    }
}

constexpr PoolLoops kPools = {maxPool, maxPoolGrad};
