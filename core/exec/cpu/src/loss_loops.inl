std::size_t firstLargest(const float* values, std::size_t count) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i)
        if (values[i] > values[best]) best = i;
    return best;
}

double mean(const float* values, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
    return sum / static_cast<double>(count);
}

// A label outside the classes gives NaN, which the training loop's guard reports.
void softmax(const SoftmaxLoss& call) {
    double loss = 0;
    for (std::size_t row = 0; row < call.rows; ++row) {
        const float* logits = call.logits + row * call.classes;
        const auto label = static_cast<std::size_t>(call.labels[row]);  // a negative one becomes huge
        const bool legal = label < call.classes;
        const float largest = logits[firstLargest(logits, call.classes)];
        const float weight = legal ? call.weights[row] : __builtin_nanf("");
        float* gradient = call.gradient == nullptr ? nullptr : call.gradient + row * call.classes;
        double sum = 0;
        for (std::size_t c = 0; c < call.classes; ++c) {
            const float power = expf(logits[c] - largest);
            sum += static_cast<double>(power);
            if (gradient != nullptr) gradient[c] = power;
        }
        if (gradient != nullptr) {
            const float scale = weight / static_cast<float>(sum);
            for (std::size_t c = 0; c < call.classes; ++c) gradient[c] *= scale;
            const float others = weight * static_cast<float>(call.smoothing / static_cast<double>(call.classes));
            if (call.smoothing > 0)
                for (std::size_t c = 0; c < call.classes; ++c) gradient[c] -= others;
            if (legal) gradient[label] -= weight * static_cast<float>(1 - call.smoothing);
        }
        double target = legal ? static_cast<double>(logits[label]) : 0.0;
        if (call.smoothing > 0) target = target * (1 - call.smoothing) + mean(logits, call.classes) * call.smoothing;
        if (call.loss != nullptr) loss += static_cast<double>(weight) * (log(sum) + (static_cast<double>(largest) - target));
    }
    if (call.loss != nullptr) *call.loss = static_cast<float>(loss);
}

float correct(const SoftmaxLoss& call) {
    double sum = 0;
    for (std::size_t row = 0; row < call.rows; ++row)
        if (firstLargest(call.logits + row * call.classes, call.classes) == static_cast<std::size_t>(call.labels[row]))
            sum += static_cast<double>(call.weights[row]);
    return static_cast<float>(sum);
}

constexpr LossLoops kLosses = {softmax, correct};
