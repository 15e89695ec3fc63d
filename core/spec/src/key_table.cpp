#include "key_table.h"

#include <algorithm>
#include <limits>

namespace lockstep::spec {
namespace {

using enum KeyType;
using C = Capability;

constexpr double kNone = 0;
constexpr double kAny = std::numeric_limits<double>::infinity();
// The smallest value of what must be above 0.
constexpr double kTiny = 1e-300;
// Whole numbers up to here are exact as doubles, so that limits can be compared.
constexpr double kExact = 9007199254740991.0;
constexpr Hashed kNumbers = Hashed::Always;
constexpr Hashed kPolicy = Hashed::No;
constexpr Hashed kOption = Hashed::UnlessDefault;

#define SPEC_FIELD(member) [](RunSpec& s, HostSpec*) -> Field { return &s.member; }
#define HOST_FIELD(member) [](RunSpec&, HostSpec* h) -> Field { return &h->member; }
#define NO_FIELD [](RunSpec&, HostSpec*) -> Field { return std::monostate{}; }

// A key that is known but not built: only its default is accepted.
constexpr KeyRow later(std::string_view path, Capability capability, std::string_view fallback, std::string_view help) {
    return {path, Any, capability, fallback, "", kNone, kNone, kPolicy, NO_FIELD, help};
}

constexpr KeyRow choice(std::string_view path, std::string_view fallback, std::string_view choices, Hashed hashed,
                        Field (*field)(RunSpec&, HostSpec*), std::string_view help) {
    return {path, Choice, C::MainJob, fallback, choices, kNone, kNone, hashed, field, help};
}

constexpr KeyRow number(std::string_view path, KeyType type, std::string_view fallback, double minimum, double maximum, Hashed hashed,
                        Field (*field)(RunSpec&, HostSpec*), std::string_view help) {
    return {path, type, C::MainJob, fallback, "", minimum, maximum, hashed, field, help};
}

constexpr KeyRow plain(std::string_view path, KeyType type, std::string_view fallback, Hashed hashed, Field (*field)(RunSpec&, HostSpec*),
                       std::string_view help) {
    return {path, type, C::MainJob, fallback, "", kNone, kNone, hashed, field, help};
}

constexpr KeyRow kRows[] = {
    number("schema", Integer, "1", 1, 1, kPolicy, NO_FIELD, "Version of this format."),
    plain("name", Text, "", kPolicy, SPEC_FIELD(name), "Name of the run, for people."),
    plain("tags", TextList, "[]", kPolicy, SPEC_FIELD(tags), "Words to find the run by."),
    plain("note", Text, "\"\"", kPolicy, SPEC_FIELD(note), "A remark kept with the run."),
    choice("engine", "native", "native tensorflow@5", kPolicy, NO_FIELD, "What trains: the engine of this program or a TensorFlow script."),
    number("seed", Integer, "1", 0, kExact, kNumbers, SPEC_FIELD(seed), "Start of every random sequence: weights, order of the rows."),
    choice(
        "strategy", "MirroredStrategy",
        "OneDeviceStrategy MirroredStrategy MultiWorkerMirroredStrategy ParameterServerStrategy@3 CentralStorageStrategy@3 TPUStrategy@6",
        kPolicy, SPEC_FIELD(strategy), "How the work is spread, in TensorFlow's words."),

    plain("cluster.hosts[].name", Text, "here", kPolicy, HOST_FIELD(name), "Name of the host entry."),
    plain("cluster.hosts[].address", Text, "localhost", kPolicy, HOST_FIELD(address), "Address at which other hosts find it."),
    later("cluster.hosts[].ssh", C::Cluster, "null", "Name for ssh of a remote host."),
    plain("cluster.hosts[].devices", TextList, "[\"cpu:0\"]", kPolicy, HOST_FIELD(devices), "Devices to use: cpu:0, cpu:1, ..."),
    {"cluster.hosts[].roles", ChoiceList, C::MainJob, "[worker]", "worker chief ps@3 evaluator@3", kNone, kNone, kPolicy, HOST_FIELD(roles),
     "TensorFlow's task type of the host."},
    plain("cluster.oversubscribe", Bool, "false", kPolicy, SPEC_FIELD(cluster.oversubscribe), "Allows more cpu devices than cores."),
    number("cluster.port_base", Integer, "12345", 1, 65535, kPolicy, SPEC_FIELD(cluster.portBase),
           "Port of the first task; the others follow."),
    later("cluster.interface", C::Cluster, "auto", "Network card or subnet."),
    plain("cluster.tf_config", Json, "null", kPolicy, SPEC_FIELD(cluster.tfConfig), "A cluster in TensorFlow's JSON instead of hosts."),

    choice("model.preset", "cnn", "mlp lenet5 cnn resnet20 resnet50 mobilenet transformer_classifier", kNumbers, SPEC_FIELD(model.preset),
           "A model that comes with the program."),
    plain("model.layers", Layers, "null", kOption, SPEC_FIELD(model.layers), "Layers in Keras' words, instead of a preset."),
    number("model.kernel_regularizer.l1", Number, "0", 0, kAny, kOption, SPEC_FIELD(model.kernelL1),
           "L1 of every kernel whose layer says nothing."),
    number("model.kernel_regularizer.l2", Number, "0", 0, kAny, kOption, SPEC_FIELD(model.kernelL2),
           "L2 of every kernel whose layer says nothing."),
    plain("model.keras", Text, "null", kPolicy, SPEC_FIELD(model.keras), "A .keras file, instead of a preset: its layers and weights."),

    choice("data.dataset", "mnist", "mnist idx cifar10 cifar100 npy csv image_folder tfrecord synthetic", kNumbers,
           SPEC_FIELD(data.dataset), "What is learned from."),
    plain("data.path", Text, "null", kPolicy, SPEC_FIELD(data.path),
          "Folder of the files, or the file; required but for mnist (the shipped one when absent) and synthetic."),
    plain("data.shuffle", Bool, "true", kNumbers, SPEC_FIELD(data.shuffle), "New order of the rows in every epoch."),
    number("data.shuffle_seed", Integer, "null", 0, kExact, kPolicy, SPEC_FIELD(data.shuffleSeed),
           "Seed of the order; the run's seed when absent."),
    choice("data.auto_shard_policy", "AUTO", "AUTO FILE@2 DATA@2 OFF@2", kNumbers, SPEC_FIELD(data.autoShardPolicy),
           "How rows are dealt to workers."),
    later("data.partition", C::Distribution, "static", "static or dynamic."),
    number("data.validation_split", Number, "0", 0, 0.999999, kOption, SPEC_FIELD(data.validationSplit),
           "Last fraction of the training rows, kept for validation instead of files for it."),
    {"data.augment", ChoiceList, C::MainJob, "[]", "random_crop random_flip", kNone, kNone, kOption, SPEC_FIELD(data.augment),
     "Random changes of the training pictures."},
    number("data.crop_padding", Integer, "4", 1, 1024, kOption, SPEC_FIELD(data.cropPadding),
           "random_crop: pixels a picture is moved by at most."),
    number("data.mean", NumberList, "[]", -1e30, 1e30, kOption, SPEC_FIELD(data.mean),
           "Subtracted from each channel, after pictures were divided by 255."),
    number("data.std", NumberList, "[]", 1e-30, 1e30, kOption, SPEC_FIELD(data.deviation), "Divides each channel after that."),
    number("data.shape", NumberList, "[]", 1, 1e9, kOption, SPEC_FIELD(data.shape),
           "Shape of a row: csv, npy and tfrecord rows take it, pictures are resized to it."),
    plain("data.features", TextList, "[]", kOption, SPEC_FIELD(data.features),
          "Names of columns (csv), array (npy) or feature (tfrecord)."),
    plain("data.label", Text, "\"\"", kOption, SPEC_FIELD(data.label), "Name of the column, array or feature with the classes."),
    number("data.rows", Integer, "1024", 1, 1e9, kOption, SPEC_FIELD(data.rows), "synthetic: training rows."),
    number("data.classes", Integer, "10", 1, 1e6, kOption, SPEC_FIELD(data.classes), "synthetic: classes."),

    number("training.global_batch_size", Integer, "32", 1, 1e9, kNumbers, SPEC_FIELD(training.globalBatchSize),
           "Rows of one batch over all replicas, as Keras counts them."),
    number("training.epochs", Integer, "3", 1, 1e6, kPolicy, SPEC_FIELD(training.epochs), "Passes over the data."),
    number("training.steps", Integer, "null", 1, kExact, kPolicy, SPEC_FIELD(training.steps),
           "Ends the run after this many steps, if earlier."),
    choice("training.optimizer.name", "adam", "sgd adam rmsprop adagrad adadelta@2 adamax@2 adamw nadam@2 lion lamb ftrl@2 adafactor@2",
           kNumbers, SPEC_FIELD(training.optimizer.name), "Keras' name of the update rule."),
    number("training.optimizer.learning_rate", Number, "0.001", 0, kAny, kNumbers, SPEC_FIELD(training.optimizer.learningRate),
           "Learning rate; sgd: 0.01 when absent."),
    number("training.optimizer.momentum", Number, "0", 0, 1, kNumbers, SPEC_FIELD(training.optimizer.momentum), "sgd, rmsprop: momentum."),
    plain("training.optimizer.nesterov", Bool, "false", kNumbers, SPEC_FIELD(training.optimizer.nesterov),
          "sgd: Nesterov's form of momentum."),
    number("training.optimizer.beta_1", Number, "0.9", 0, 0.9999999, kNumbers, SPEC_FIELD(training.optimizer.beta1),
           "adam, adamw, lion, lamb: decay of the mean."),
    number("training.optimizer.beta_2", Number, "0.999", 0, 0.9999999, kNumbers, SPEC_FIELD(training.optimizer.beta2),
           "adam, adamw, lion, lamb: decay of the square; lion: 0.99 when absent."),
    number("training.optimizer.epsilon", Number, "1e-07", 1e-30, 1, kNumbers, SPEC_FIELD(training.optimizer.epsilon),
           "Keeps the divisor above zero; not of sgd and lion."),
    plain("training.optimizer.amsgrad", Bool, "false", kOption, SPEC_FIELD(training.optimizer.amsgrad), "adam, adamw: AMSGrad."),
    number("training.optimizer.rho", Number, "0.9", 0, 1, kOption, SPEC_FIELD(training.optimizer.rho), "rmsprop: decay of the square."),
    plain("training.optimizer.centered", Bool, "false", kOption, SPEC_FIELD(training.optimizer.centered),
          "rmsprop: divides by the deviation."),
    number("training.optimizer.initial_accumulator_value", Number, "0.1", 0, kAny, kOption,
           SPEC_FIELD(training.optimizer.initialAccumulator), "adagrad: start of the sums."),
    number("training.optimizer.weight_decay", Number, "null", 0, kAny, kOption, SPEC_FIELD(training.optimizer.weightDecay),
           "Decoupled weight decay; adamw: 0.004 when absent."),
    number("training.optimizer.clipnorm", Number, "null", kTiny, kAny, kOption, SPEC_FIELD(training.optimizer.clipnorm),
           "Limit of each gradient's norm."),
    number("training.optimizer.clipvalue", Number, "null", kTiny, kAny, kOption, SPEC_FIELD(training.optimizer.clipvalue),
           "Limit of each gradient's values."),
    number("training.optimizer.global_clipnorm", Number, "null", kTiny, kAny, kOption, SPEC_FIELD(training.optimizer.globalClipnorm),
           "Limit of the norm of all gradients."),
    plain("training.optimizer.use_ema", Bool, "false", kOption, SPEC_FIELD(training.optimizer.useEma), "Moving average of the weights."),
    number("training.optimizer.ema_momentum", Number, "0.99", 0, 1, kOption, SPEC_FIELD(training.optimizer.emaMomentum),
           "Decay of that average."),
    number("training.optimizer.ema_overwrite_frequency", Integer, "null", 1, kExact, kOption,
           SPEC_FIELD(training.optimizer.emaOverwriteFrequency), "Steps between copies of that average."),
    number("training.optimizer.loss_scale_factor", Number, "null", kTiny, kAny, kOption, SPEC_FIELD(training.optimizer.lossScaleFactor),
           "Fixed loss scale."),

    choice("training.optimizer.schedule.name", "constant",
           "constant cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay piecewise_constant_decay polynomial_decay",
           kOption, SPEC_FIELD(training.optimizer.schedule.name), "How the learning rate changes, from learning_rate on."),
    number("training.optimizer.schedule.decay_steps", Number, "0", 0, kExact, kOption, SPEC_FIELD(training.optimizer.schedule.decaySteps),
           "Steps of the decay; of the first period under restarts."),
    number("training.optimizer.schedule.decay_rate", Number, "0", 0, kAny, kOption, SPEC_FIELD(training.optimizer.schedule.decayRate),
           "exponential, inverse time."),
    plain("training.optimizer.schedule.staircase", Bool, "false", kOption, SPEC_FIELD(training.optimizer.schedule.staircase),
          "exponential, inverse time: in whole periods."),
    number("training.optimizer.schedule.end_learning_rate", Number, "0.0001", 0, kAny, kOption,
           SPEC_FIELD(training.optimizer.schedule.endLearningRate), "polynomial: the last rate."),
    number("training.optimizer.schedule.power", Number, "1", 0, kAny, kOption, SPEC_FIELD(training.optimizer.schedule.power),
           "polynomial: its exponent."),
    plain("training.optimizer.schedule.cycle", Bool, "false", kOption, SPEC_FIELD(training.optimizer.schedule.cycle),
          "polynomial: begins again."),
    number("training.optimizer.schedule.alpha", Number, "0", 0, 1, kOption, SPEC_FIELD(training.optimizer.schedule.alpha),
           "cosines: the least part of the rate."),
    number("training.optimizer.schedule.warmup_target", Number, "null", 0, kAny, kOption,
           SPEC_FIELD(training.optimizer.schedule.warmupTarget), "cosine_decay: rate at the end of the warm-up."),
    number("training.optimizer.schedule.warmup_steps", Number, "0", 0, kExact, kOption, SPEC_FIELD(training.optimizer.schedule.warmupSteps),
           "cosine_decay: steps of the warm-up."),
    number("training.optimizer.schedule.t_mul", Number, "2", 1, kAny, kOption, SPEC_FIELD(training.optimizer.schedule.tMul),
           "restarts: growth of the periods."),
    number("training.optimizer.schedule.m_mul", Number, "1", 0, kAny, kOption, SPEC_FIELD(training.optimizer.schedule.mMul),
           "restarts: decay of their first rates."),
    number("training.optimizer.schedule.boundaries", NumberList, "[]", 0, kExact, kOption,
           SPEC_FIELD(training.optimizer.schedule.boundaries), "piecewise: the last step of each rate but the last."),
    number("training.optimizer.schedule.values", NumberList, "[]", 0, kAny, kOption, SPEC_FIELD(training.optimizer.schedule.values),
           "piecewise: the rates."),
    choice("training.loss", "sparse_categorical_crossentropy",
           "sparse_categorical_crossentropy categorical_crossentropy binary_crossentropy mean_squared_error mean_absolute_error "
           "huber kl_divergence@2 poisson@2 hinge@2",
           kNumbers, SPEC_FIELD(training.loss.name), "Loss."),
    plain("training.loss_options.from_logits", Bool, "true", kOption, SPEC_FIELD(training.loss.fromLogits),
          "Cross-entropies: the model gives logits, not probabilities."),
    number("training.loss_options.label_smoothing", Number, "0", 0, 1, kOption, SPEC_FIELD(training.loss.labelSmoothing),
           "categorical and binary cross-entropy."),
    number("training.loss_options.delta", Number, "1", kTiny, kAny, kOption, SPEC_FIELD(training.loss.delta),
           "huber: where it turns straight."),
    {"training.metrics", ChoiceList, C::MainJob, "[accuracy]",
     "accuracy sparse_categorical_accuracy categorical_accuracy binary_accuracy sparse_top_k_categorical_accuracy "
     "top_k_categorical_accuracy mean_squared_error mean_absolute_error auc precision recall",
     kNone, kNone, kPolicy, SPEC_FIELD(training.metrics),
     "What is measured besides the loss; of regressions mean_absolute_error when absent."},
    number("training.metric_options.k", Integer, "5", 1, 1e6, kPolicy, SPEC_FIELD(training.topK), "Top-k accuracies."),
    number("training.metric_options.threshold", Number, "0.5", 0, 1, kPolicy, SPEC_FIELD(training.metricThreshold),
           "binary_accuracy, precision, recall: what counts as a yes, of what the model gives."),
    number("training.metric_options.top_k", Integer, "null", 1, 1e6, kPolicy, SPEC_FIELD(training.metricTopK),
           "precision, recall: the k largest numbers of a row count instead."),
    choice("training.mixed_precision", "none", "none mixed_float16 mixed_bfloat16", kOption, SPEC_FIELD(training.mixedPrecision),
           "Keras' policy: layers compute in 16 bits, weights stay float32."),
    number("training.gradient_accumulation_steps", Integer, "1", 1, 1e6, kOption, SPEC_FIELD(training.accumulation),
           "Batches per update; a step is an update."),
    plain("training.keras_compatible", Bool, "false", kOption, SPEC_FIELD(training.kerasCompatible),
          "Under accumulation: schedules and the average of the weights count batches, as in Keras."),
    plain("training.recompute", WordOrList, "none", kPolicy, SPEC_FIELD(training.recompute),
          "Drops activations and computes them again: none, auto, or the layers whose results are kept."),
    number("training.memory_limit", Bytes, "null", 1 << 20, 1e15, kPolicy, SPEC_FIELD(training.memoryLimit),
           "Bytes each rank may use, such as 300MiB: the cheapest remedy that fits is applied."),
    later("training.steps_per_execution", C::Tpu, "1", "Steps per launch."),
    plain("training.callbacks", Callbacks, "[]", kPolicy, SPEC_FIELD(training.callbacks),
          "early_stopping, reduce_lr_on_plateau, model_checkpoint, csv_logger, learning_rate_scheduler: what is done after each epoch."),

    choice("distribution.reduction", "rows", "rows keras", kNumbers, SPEC_FIELD(distribution.reduction),
           "rows: exact mean over all rows; keras: mean of the replicas' means, as Keras 3 under MirroredStrategy."),
    choice("distribution.all_reduce", "auto", "auto ring@3 halving_doubling@3 tree@3 hierarchical@3 nccl@3 pinned@3", kPolicy,
           SPEC_FIELD(distribution.allReduce), "How gradients are summed."),
    choice("distribution.transport", "auto", "auto shm tcp ibverbs@3 nccl@7", kPolicy, SPEC_FIELD(distribution.transport),
           "What carries them."),
    number("distribution.bytes_per_pack", Bytes, "25MiB", 1024, 1e12, kPolicy, SPEC_FIELD(distribution.bytesPerPack),
           "Gradients are sent in packs of this size."),
    later("distribution.wire_dtype", C::Distribution, "float32", "Type of gradients on the wire."),
    later("distribution.sync_every", C::Distribution, "1", "Steps between averages of local SGD."),
    later("distribution.slots", C::Distribution, "average", "average or keep, for sync_every > 1."),
    later("distribution.max_staleness", C::Distribution, "null", "Limit for the parameter server."),
    later("distribution.partitioner", C::Distribution, "null", "fixed, min_size or max_size."),
    later("distribution.balance", C::Distribution, "equal", "measured, or shares."),
    number("distribution.slices", AutoOrInteger, "auto", 1, 65536, kOption, SPEC_FIELD(distribution.slices),
           "Slices of a batch; auto: one per replica. A multiple of that: a replica's own run one after the other, for less memory."),
    later("distribution.deterministic", C::Distribution, "false", "The same bits on every split."),
    later("distribution.check_weights_every", C::Distribution, "0", "Steps between checks of the weights."),

    number("checkpoint.every", Duration, "30s", 0.1, 1e8, kPolicy, SPEC_FIELD(checkpoint.every),
           "Time between checkpoints; null: only at the end."),
    number("checkpoint.keep", Integer, "2", 2, 1000, kPolicy, SPEC_FIELD(checkpoint.keep), "How many are kept."),
    later("tensorboard.log_dir", C::TensorFlow, "null", "Folder of TensorBoard files."),
    later("tensorboard.histogram_freq", C::TensorFlow, "0", "Epochs between histograms."),
    later("tensorboard.update_freq", C::TensorFlow, "epoch", "How often values are written."),
    plain("stop.nan", Bool, "true", kPolicy, SPEC_FIELD(stopOnNan), "Ends the run when the loss is not a number."),
    plain("stop.target", Text, "null", kPolicy, SPEC_FIELD(stopTarget),
          "Ends the run after the epoch that reaches it: val_accuracy >= 0.98."),
    number("stop.time", Duration, "null", 0.001, 1e9, kPolicy, SPEC_FIELD(stopTime), "Ends the run after this time, with a checkpoint."),
    choice("on_worker_loss", "stop", "stop shrink@3 replace@3", kPolicy, NO_FIELD, "What to do when a worker is lost."),
    later("time_limit", C::Cluster, "null", "Time asked of the scheduler."),
    later("script.path", C::TensorFlow, "null", "A TensorFlow script."),
    later("script.args", C::TensorFlow, "[]", "Its arguments."),
    later("script.python", C::TensorFlow, "null", "The Python that runs it."),
    later("script.env", C::TensorFlow, "{}", "Its environment."),
    later("script.cwd", C::TensorFlow, "null", "Its folder."),
    later("script.keras", C::TensorFlow, "auto", "Which Keras."),
    later("script.repair", C::TensorFlow, "auto", "What may be mended."),
    later("tpu.topology", C::Tpu, "null", "Chips, as 2x2x1."),
    later("tpu.zone", C::Tpu, "null", "Zone."),
    later("tpu.project", C::Tpu, "null", "Project."),
    later("tpu.spot", C::Tpu, "false", "May be taken away."),
    later("tpu.runtime", C::Tpu, "null", "Runtime version."),
    later("sweep", C::Studio, "{}", "Values to try for a key."),
};

#undef SPEC_FIELD
#undef HOST_FIELD
#undef NO_FIELD

}  // namespace

std::string_view nameOf(Capability capability) {
    switch (capability) {
        case C::MainJob: return "main job";
        case C::Engine: return "wider engine";
        case C::Distribution: return "wider distribution";
        case C::Cluster: return "cluster";
        case C::TensorFlow: return "TensorFlow";
        case C::Tpu: return "TPU";
        case C::Gpu: return "GPU";
        case C::Studio: return "Studio";
    }
    return "";
}

std::span<const KeyRow> keyTable() { return kRows; }

const KeyRow* findKey(std::string_view path) {
    const auto found = std::find_if(std::begin(kRows), std::end(kRows), [&](const KeyRow& row) { return row.path == path; });
    return found == std::end(kRows) ? nullptr : found;
}

std::vector<std::string> childrenOf(std::string_view prefix) {
    const std::string start = prefix.empty() ? std::string() : std::string(prefix) + ".";
    std::vector<std::string> names;
    for (const KeyRow& row : kRows) {
        if (!row.path.starts_with(start)) continue;
        const std::string_view rest = row.path.substr(start.size());
        std::string name(rest.substr(0, rest.find_first_of(".[")));
        if (names.empty() || names.back() != name) names.push_back(std::move(name));
    }
    return names;
}

bool isSection(std::string_view path) {
    const std::string start = std::string(path) + ".";
    return std::any_of(std::begin(kRows), std::end(kRows), [&](const KeyRow& row) { return row.path.starts_with(start); });
}

std::vector<spec::Choice> choicesOf(const KeyRow& row) {
    std::vector<spec::Choice> choices;
    std::string_view rest = row.choices;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        std::string_view word = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        spec::Choice one;
        const std::size_t mark = word.find('@');
        if (mark != std::string_view::npos) one.capability = static_cast<Capability>(word[mark + 1] - '1');
        one.word = std::string(word.substr(0, mark));
        choices.push_back(std::move(one));
    }
    return choices;
}

bool mayBeNull(const KeyRow& row) { return row.fallback == "null" || row.path == "checkpoint.every"; }

}  // namespace lockstep::spec
