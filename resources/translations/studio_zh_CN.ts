<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>EventWords</name>
    <message>
        <source>Rank %1</source>
        <translation>进程 (rank) %1</translation>
    </message>
    <message>
        <source>%1 failed (%2)</source>
        <translation>%1 失败 (%2)</translation>
    </message>
    <message>
        <source>The run failed (%1)</source>
        <translation>运行失败 (%1)</translation>
    </message>
    <message>
        <source>%1 ended with %2</source>
        <translation>%1 以 %2 结束</translation>
    </message>
    <message>
        <source>%1 has ended</source>
        <translation>%1 已结束</translation>
    </message>
    <message>
        <source>%1 goes on</source>
        <translation>%1 恢复运行</translation>
    </message>
    <message>
        <source>Warning %1: %2</source>
        <translation>警告 %1：%2</translation>
    </message>
    <message>
        <source>Stop asked</source>
        <translation>已请求停止</translation>
    </message>
    <message>
        <source>Stop asked again</source>
        <translation>再次请求停止</translation>
    </message>
    <message>
        <source>End at once asked</source>
        <translation>已请求立即结束</translation>
    </message>
    <message>
        <source>Checkpoint asked</source>
        <translation>已请求写入检查点</translation>
    </message>
    <message>
        <source>Command: %1</source>
        <translation>命令：%1</translation>
    </message>
    <message>
        <source>preparing files</source>
        <translation>准备文件</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>meeting</source>
        <translation>会合</translation>
    </message>
    <message>
        <source>first step</source>
        <translation>第一步</translation>
    </message>
    <message>
        <source>joining</source>
        <translation>加入</translation>
    </message>
    <message>
        <source>joined</source>
        <translation>已加入</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>evaluation</source>
        <translation>评估</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>stopped by %1</source>
        <translation>由 %1 停止</translation>
    </message>
    <message>
        <source>ended by %1</source>
        <translation>因 %1 结束</translation>
    </message>
    <message>
        <source>started</source>
        <translation>已启动</translation>
    </message>
    <message>
        <source>started by hand</source>
        <translation>手动启动</translation>
    </message>
    <message>
        <source>resumed</source>
        <translation>已继续</translation>
    </message>
</context>
<context>
    <name>FormatText</name>
    <message>
        <source>s</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>min</source>
        <translation>分钟</translation>
    </message>
    <message>
        <source>h</source>
        <translation>小时</translation>
    </message>
    <message>
        <source>d</source>
        <translation>天</translation>
    </message>
    <message>
        <source>d MMM HH:mm</source>
        <translation>M月d日 HH:mm</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>RankState</name>
    <message>
        <source>Spawning</source>
        <translation>启动中</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
</context>
<context>
    <name>RunEvent</name>
    <message>
        <source>Phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Exit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Resumed</source>
        <translation>已继续</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>已启动</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Its controller is gone</source>
        <translation>控制进程已不存在</translation>
    </message>
    <message>
        <source>Made to fit into memory</source>
        <translation>已调整以适应内存</translation>
    </message>
</context>
<context>
    <name>RunState</name>
    <message>
        <source>Draft</source>
        <translation>草稿</translation>
    </message>
    <message>
        <source>Checking</source>
        <translation>检查中</translation>
    </message>
    <message>
        <source>Blocked</source>
        <translation>受阻</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>Staging</source>
        <translation>准备文件</translation>
    </message>
    <message>
        <source>Spawning</source>
        <translation>启动进程</translation>
    </message>
    <message>
        <source>Rendezvous</source>
        <translation>会合中</translation>
    </message>
    <message>
        <source>Warming up</source>
        <translation>预热中</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Checkpointing</source>
        <translation>保存检查点</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>失联</translation>
    </message>
    <message>
        <source>Unreadable</source>
        <translation>无法读取</translation>
    </message>
</context>
<context>
    <name>RunWords</name>
    <message>
        <source>Waiting for the first step: preparing files.</source>
        <translation>等待第一步：正在准备文件。</translation>
    </message>
    <message>
        <source>Waiting for the first step: starting the ranks.</source>
        <translation>等待第一步：正在启动各进程 (rank)。</translation>
    </message>
    <message>
        <source>Waiting for the first step: the ranks are meeting.</source>
        <translation>等待第一步：各进程 (rank) 正在会合。</translation>
    </message>
    <message>
        <source>Waiting for the first step: compiling.</source>
        <translation>等待第一步：正在编译。</translation>
    </message>
    <message>
        <source>Its controller is gone. Resume takes the run over.</source>
        <translation>控制进程已不存在。“继续”可接管该运行。</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
</context>
<context>
    <name>TaskWords</name>
    <message>
        <source>Starting %1</source>
        <translation>正在启动 %1</translation>
    </message>
    <message>
        <source>Resuming %1</source>
        <translation>正在继续 %1</translation>
    </message>
    <message>
        <source>Stopping %1</source>
        <translation>正在停止 %1</translation>
    </message>
    <message>
        <source>Checkpoint of %1</source>
        <translation>%1 的检查点</translation>
    </message>
    <message>
        <source>Removing %1</source>
        <translation>正在删除 %1</translation>
    </message>
</context>
<context>
    <name>lockstep::charts::ChartView</name>
    <message>
        <source>+%1 more</source>
        <translation>另有 %1 个</translation>
    </message>
</context>
<context>
    <name>lockstep::charts::LaneView</name>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>%1 folded</source>
        <translation>%1 个已折叠</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>%1, worst of %2</source>
        <translation>%1，%2 个中最差</translation>
    </message>
    <message>
        <source>no value</source>
        <translation>无数值</translation>
    </message>
    <message>
        <source>%1 the median</source>
        <translation>%1 中位数</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>工作节点</translation>
    </message>
</context>
<context>
    <name>lockstep::charts::LineChart</name>
    <message>
        <source>1 point outside</source>
        <translation>1 个点在图外</translation>
    </message>
    <message>
        <source>%1 points outside</source>
        <translation>%1 个点在图外</translation>
    </message>
    <message>
        <source>1 value ≤ 0 hidden</source>
        <translation>已隐藏 1 个 ≤ 0 的值</translation>
    </message>
    <message>
        <source>%1 values ≤ 0 hidden</source>
        <translation>已隐藏 %1 个 ≤ 0 的值</translation>
    </message>
    <message>
        <source>1 value not finite</source>
        <translation>1 个值非有限</translation>
    </message>
    <message>
        <source>%1 values not finite</source>
        <translation>%1 个值非有限</translation>
    </message>
    <message>
        <source>override</source>
        <translation>单独设置</translation>
    </message>
    <message>
        <source>%1 points in %2 buckets</source>
        <translation>%1 个点归入 %2 个区间</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>1 worker</source>
        <translation>1 个工作节点</translation>
    </message>
    <message>
        <source>%1 workers</source>
        <translation>%1 个工作节点</translation>
    </message>
    <message>
        <source>1 other</source>
        <translation>另外 1 个</translation>
    </message>
    <message>
        <source>%1 others</source>
        <translation>另外 %1 个</translation>
    </message>
    <message>
        <source>%1: %2 at step %3</source>
        <translation>%1：第 %3 步为 %2</translation>
    </message>
    <message>
        <source>%1, smoothed</source>
        <translation>%1（平滑）</translation>
    </message>
    <message>
        <source>smoothed %1</source>
        <translation>平滑 %1</translation>
    </message>
</context>
<context>
    <name>lockstep::charts::StackChart</name>
    <message>
        <source>Step %1</source>
        <translation>第 %1 步</translation>
    </message>
</context>
<context>
    <name>lockstep::models::EventsModel</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>进程 (rank)</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>事件内容</translation>
    </message>
</context>
<context>
    <name>lockstep::models::RanksModel</name>
    <message>
        <source>Rank</source>
        <translation>进程 (rank)</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程号</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>每步用时</translation>
    </message>
    <message>
        <source>Against median</source>
        <translation>相对中位数</translation>
    </message>
</context>
<context>
    <name>lockstep::models::RunsModel</name>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>进程数 (rank)</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>时长</translation>
    </message>
</context>
<context>
    <name>lockstep::models::ValuesModel</name>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
    <message>
        <source>Cursor</source>
        <translation>光标</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::HeatLegend</name>
    <message>
        <source>Colours from %1 to %2</source>
        <translation>颜色从 %1 到 %2</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LiveDock</name>
    <message>
        <source>Loss, train</source>
        <translation>损失（训练）</translation>
    </message>
    <message>
        <source>Loss, val</source>
        <translation>损失（验证）</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Copy values</source>
        <translation>复制数值</translation>
    </message>
    <message>
        <source>At cursors A and B</source>
        <translation>光标 A 与 B 处</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>最新在前</translation>
    </message>
    <message>
        <source>Values at the cursors</source>
        <translation>光标处的数值</translation>
    </message>
    <message>
        <source>Events of the run</source>
        <translation>运行的事件</translation>
    </message>
    <message>
        <source>Compute time, ms</source>
        <translation>计算时间，毫秒</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Acc., train</source>
        <translation>训练准确率</translation>
    </message>
    <message>
        <source>Acc., val</source>
        <translation>验证准确率</translation>
    </message>
    <message>
        <source>Grad norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Learn. rate</source>
        <translation>学习率</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LiveGrid</name>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>comm wait</source>
        <translation>通信等待</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>val</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Device busy</source>
        <translation>设备繁忙率</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>每步用时</translation>
    </message>
    <message>
        <source>ms, mean of workers</source>
        <translation>ms，各工作节点均值</translation>
    </message>
    <message>
        <source>log scale</source>
        <translation>对数刻度</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>samples/s each</source>
        <translation>每个，样本/秒</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LiveHeader</name>
    <message>
        <source>Choose another run</source>
        <translation>选择其他运行</translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>Write a checkpoint now</source>
        <translation>立即写入检查点</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Write a checkpoint and stop the run</source>
        <translation>写入检查点并停止运行</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Go on from the newest checkpoint</source>
        <translation>从最新的检查点继续</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Loss, train</source>
        <translation>损失（训练）</translation>
    </message>
    <message>
        <source>Accuracy, validation</source>
        <translation>准确率（验证）</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Step time p50</source>
        <translation>每步用时 p50</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>工作节点</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n worker(s)</source>
        <translation>
            <numerusform>%n 个工作节点</numerusform>
        </translation>
    </message>
    <message>
        <source>started %1</source>
        <translation>开始于 %1</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>共 %1</translation>
    </message>
    <message>
        <source>ETA %1</source>
        <translation>预计剩余 %1</translation>
    </message>
    <message>
        <source>ms, p95 %1</source>
        <translation>ms, p95 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message numerus="yes">
        <source>%n late</source>
        <translation>
            <numerusform>%n 个落后</numerusform>
        </translation>
    </message>
    <message>
        <source>best %1</source>
        <translation>最佳 %1</translation>
    </message>
    <message>
        <source>Accuracy, train</source>
        <translation>准确率（训练）</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>样本/秒</translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n 个失败</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LiveLanes</name>
    <message>
        <source>Compute ÷ median</source>
        <translation>计算 ÷ 中位数</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>繁忙率</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Comm wait</source>
        <translation>通信等待</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>工作节点</translation>
    </message>
    <message>
        <source>What the lanes show</source>
        <translation>泳道显示的内容</translation>
    </message>
    <message>
        <source>%1 takes %2× the median since step %3</source>
        <translation>自第 %3 步起，%1 的用时为中位数的 %2 倍</translation>
    </message>
    <message>
        <source>Darker is more; click a cell to see the log at that moment.</source>
        <translation>颜色越深数值越大；点击格子查看那一刻的日志。</translation>
    </message>
    <message>
        <source>Compute time over the median of all workers; the colour changes at %1. Click a cell to see the log at that moment.</source>
        <translation>计算时间与全体工作节点中位数之比；颜色在 %1 处变化。点击格子查看那一刻的日志。</translation>
    </message>
    <message>
        <source>%1 took %2× the median from step %3 on</source>
        <translation>从第 %3 步起，%1 的用时曾为中位数的 %2 倍</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LivePage</name>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>No run is shown.</source>
        <translation>未显示任何运行。</translation>
    </message>
    <message>
        <source>Start one with Run, or choose one on the Overview page.</source>
        <translation>点击“运行”启动一个，或在“概览”页中选择一个。</translation>
    </message>
    <message>
        <source>Follow the newest values</source>
        <translation>跟随最新数值</translation>
    </message>
    <message>
        <source>resumed</source>
        <translation>已继续</translation>
    </message>
    <message>
        <source>Save %1</source>
        <translation>保存“%1”</translation>
    </message>
    <message>
        <source>%1 can&apos;t be written: %2.</source>
        <translation>无法写入 %1：%2。</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>请选择其他文件夹。</translation>
    </message>
    <message>
        <source>resumed at %1</source>
        <translation>从第 %1 步继续</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LiveStrip</name>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>时刻</translation>
    </message>
    <message>
        <source>X</source>
        <translation>X</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>平滑</translation>
    </message>
    <message>
        <source>Smoothing weight</source>
        <translation>平滑权重</translation>
    </message>
    <message>
        <source>Weight of the exponential moving average, 0 to 0.999</source>
        <translation>指数移动平均的权重，0 至 0.999</translation>
    </message>
    <message>
        <source>Log x</source>
        <translation>对数 x</translation>
    </message>
    <message>
        <source>Log y</source>
        <translation>对数 y</translation>
    </message>
    <message>
        <source>Mean and band</source>
        <translation>均值与范围带</translation>
    </message>
    <message>
        <source>Each</source>
        <translation>逐个</translation>
    </message>
    <message>
        <source>Workers</source>
        <translation>工作节点</translation>
    </message>
    <message>
        <source>How charts of every worker are drawn</source>
        <translation>各工作节点图表的绘制方式</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列数</translation>
    </message>
    <message numerus="yes">
        <source>%n column(s)</source>
        <translation>
            <numerusform>%n 列</numerusform>
        </translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Follow the newest values (End); zooming or moving a chart ends it</source>
        <translation>跟随最新数值（End）；缩放或移动图表会停止跟随</translation>
    </message>
    <message>
        <source>What the x axis shows. In the charts: Ctrl+wheel zooms, dragging or Shift+wheel moves, a double click shows all.</source>
        <translation>X 轴显示的内容。在图表中：Ctrl+滚轮缩放，拖动或 Shift+滚轮移动，双击显示全部。</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LogsFilterBar</name>
    <message>
        <source>Least level</source>
        <translation>最低级别</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Info</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>Information, warnings and errors</source>
        <translation>信息、警告和错误</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>This is no pattern: %1 (at character %2). The last valid one stays in force.</source>
        <translation>模式无效：%1（第 %2 个字符处）。上一个有效模式继续生效。</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>正则表达式</translation>
    </message>
    <message>
        <source>Shows the lines that match; small letters match capitals too (Ctrl+F)</source>
        <translation>只显示匹配的行；小写字母也匹配大写（Ctrl+F）</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LogsPage</name>
    <message>
        <source>Logs</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Follow the newest line</source>
        <translation>跟随最新一行</translation>
    </message>
    <message>
        <source>Next error</source>
        <translation>下一个错误</translation>
    </message>
    <message>
        <source>Previous error</source>
        <translation>上一个错误</translation>
    </message>
    <message>
        <source>Copy lines</source>
        <translation>复制行</translation>
    </message>
    <message>
        <source>Copy with context</source>
        <translation>连同上下文复制</translation>
    </message>
    <message>
        <source>Filter lines</source>
        <translation>筛选行</translation>
    </message>
    <message>
        <source>Next error (F8), previous one (Shift+F8)</source>
        <translation>下一个错误 (F8)，上一个错误 (Shift+F8)</translation>
    </message>
    <message numerus="yes">
        <source>The chosen lines with %n line(s) before and after (Ctrl+Shift+C)</source>
        <translation>
            <numerusform>所选的行及其前后各 %n 行 (Ctrl+Shift+C)</numerusform>
        </translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Stay at the newest line (End)</source>
        <translation>停留在最新一行 (End)</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>%1 of %2 lines, searching</source>
        <translation>%1 / %2 行，正在搜索</translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation>%1 / %2 行</translation>
    </message>
    <message>
        <source>No run is open.</source>
        <translation>未打开任何运行。</translation>
    </message>
    <message>
        <source>&lt;a href=&quot;overview&quot;&gt;Choose a run&lt;/a&gt; in the overview.</source>
        <translation>请在概览中&lt;a href=&quot;overview&quot;&gt;选择一个运行&lt;/a&gt;。</translation>
    </message>
    <message>
        <source>No line matches.</source>
        <translation>没有匹配的行。</translation>
    </message>
    <message>
        <source>&lt;a href=&quot;clear&quot;&gt;Clear the filter&lt;/a&gt;</source>
        <translation>&lt;a href=&quot;clear&quot;&gt;清除筛选&lt;/a&gt;</translation>
    </message>
    <message>
        <source>Nothing has been logged yet.</source>
        <translation>尚无日志。</translation>
    </message>
    <message>
        <source>Reading the log files.</source>
        <translation>正在读取日志文件。</translation>
    </message>
    <message>
        <source>Lines appear here as soon as the controller or a rank writes one.</source>
        <translation>控制进程或某个进程 (rank) 写出日志后，会立即显示在这里。</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 行</translation>
    </message>
    <message>
        <source>the first %1 of %2 of %3</source>
        <translation>%3 的前 %1（共 %2）</translation>
    </message>
    <message>
        <source>%1 older lines</source>
        <translation>更早的 %1 行</translation>
    </message>
    <message>
        <source>Not shown: %1. Open the file to read them.</source>
        <translation>未显示：%1。要阅读请打开该文件。</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LogsSources</name>
    <message>
        <source>Sources</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>All sources</source>
        <translation>全部来源</translation>
    </message>
    <message>
        <source>Controller</source>
        <translation>控制进程</translation>
    </message>
    <message>
        <source>Rank %1</source>
        <translation>进程 (rank) %1</translation>
    </message>
    <message>
        <source>%1: lines %2, errors %3</source>
        <translation>%1：%2 行，%3 个错误</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::LogsView</name>
    <message>
        <source>Log lines</source>
        <translation>日志行</translation>
    </message>
    <message>
        <source>controller</source>
        <translation>控制进程</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>进程 (rank) %1</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::MetricCard</name>
    <message>
        <source>%1: save or copy</source>
        <translation>%1：保存或复制</translation>
    </message>
    <message>
        <source>Save as PNG…</source>
        <translation>另存为 PNG…</translation>
    </message>
    <message>
        <source>Save as SVG…</source>
        <translation>另存为 SVG…</translation>
    </message>
    <message>
        <source>Save values as CSV…</source>
        <translation>将数值另存为 CSV…</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewActions</name>
    <message>
        <source>Try the sample</source>
        <translation>试用示例</translation>
    </message>
    <message>
        <source>New project</source>
        <translation>新建项目</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Open a project</source>
        <translation>打开项目</translation>
    </message>
    <message>
        <source>The sample is being started.</source>
        <translation>正在启动示例。</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewExperiments</name>
    <message>
        <source>Choose an experiment and run it</source>
        <translation>选择一个实验并运行</translation>
    </message>
    <message>
        <source>%1; comes with Lockstep</source>
        <translation>%1；随 Lockstep 提供</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run %1, %2</source>
        <translation>运行 %1，%2</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewFacts</name>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Looking</source>
        <translation>检测中</translation>
    </message>
    <message>
        <source>Looking at processor, memory and disk</source>
        <translation>正在检测处理器、内存和磁盘</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>%1, 1 core</source>
        <translation>%1，1 核</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n cores</source>
        <translation>
            <numerusform>%1，%n 核</numerusform>
        </translation>
    </message>
    <message>
        <source>No GPU found</source>
        <translation>未找到 GPU</translation>
    </message>
    <message>
        <source>CPU training works</source>
        <translation>可用 CPU 训练</translation>
    </message>
    <message>
        <source>Shared memory</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>磁盘</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>剩余 %1</translation>
    </message>
    <message>
        <source>Not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Not ready</source>
        <translation>未就绪</translation>
    </message>
    <message>
        <source>Checking…</source>
        <translation>正在检查…</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewHeading</name>
    <message>
        <source>Welcome to Lockstep</source>
        <translation>欢迎使用 Lockstep</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>Nothing has been run in this project yet</source>
        <translation>此项目中还没有运行过任何实验</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewHero</name>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>Train your first model here</source>
        <translation>在这里训练您的第一个模型</translation>
    </message>
    <message>
        <source>The sample trains a small network on handwritten digits with two processes on this computer. It needs no GPU and no download, and takes under a minute.</source>
        <translation>该示例在本机上用两个进程，以手写数字训练一个小型网络。无需 GPU，无需下载，用时不到一分钟。</translation>
    </message>
    <message>
        <source>Drawing: four workers wait for each other at the end of every step</source>
        <translation>示意图：四个工作节点在每一步结束时互相等待</translation>
    </message>
    <message>
        <source>Go on where you were</source>
        <translation>从上次的地方继续</translation>
    </message>
    <message>
        <source>The project of last time is %1.</source>
        <translation>上次的项目是 %1。</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>打开 %1</translation>
    </message>
    <message>
        <source>Open project %1 in %2</source>
        <translation>打开 %2 中的项目 %1</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewPage</name>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewProjects</name>
    <message>
        <source>Open project %1 in %2</source>
        <translation>打开 %2 中的项目 %1</translation>
    </message>
    <message>
        <source>Recent projects</source>
        <translation>最近的项目</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewRunModel</name>
    <message>
        <source>Loss curve</source>
        <translation>损失曲线</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewRuns</name>
    <message>
        <source>Recent runs</source>
        <translation>最近的运行</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>尚无运行</translation>
    </message>
    <message>
        <source>Runs appear here with their loss curve.</source>
        <translation>运行及其损失曲线会显示在这里。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Show the newest</source>
        <translation>只显示最新的</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::OverviewSteps</name>
    <message>
        <source>How a run comes together</source>
        <translation>一次运行的过程</translation>
    </message>
    <message>
        <source>Pick an experiment</source>
        <translation>选择实验</translation>
    </message>
    <message>
        <source>A file in experiments/ names model, data, strategy and devices.</source>
        <translation>experiments/ 中的一个文件指定模型、数据、策略和设备。</translation>
    </message>
    <message>
        <source>Run it</source>
        <translation>启动运行</translation>
    </message>
    <message>
        <source>TF_CONFIG is written and ports are assigned for you.</source>
        <translation>自动写入 TF_CONFIG 并分配端口。</translation>
    </message>
    <message>
        <source>Watch it live</source>
        <translation>实时查看</translation>
    </message>
    <message>
        <source>Close the window at any time: the run goes on.</source>
        <translation>可随时关闭窗口：运行不会中断。</translation>
    </message>
</context>
<context>
    <name>lockstep::pages::PreferencesPage</name>
    <message>
        <source>Preferences</source>
        <translation>偏好设置</translation>
    </message>
    <message>
        <source>They hold for every project of yours and take effect at once.</source>
        <translation>对您的所有项目有效，并立即生效。</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>System</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
</context>
<context>
    <name>lockstep::shell::BottomBar</name>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>忙</translation>
    </message>
    <message>
        <source>No run</source>
        <translation>无运行</translation>
    </message>
    <message>
        <source>1 run</source>
        <translation>1 个运行</translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n 个运行</numerusform>
        </translation>
    </message>
    <message>
        <source>Runs go on when this window is closed.</source>
        <translation>关闭此窗口后运行仍会继续。</translation>
    </message>
    <message>
        <source>Hosts up %1 of %2</source>
        <translation>在线主机 %1 / %2</translation>
    </message>
    <message>
        <source>Show %1 (F4)</source>
        <translation>显示%1 (F4)</translation>
    </message>
</context>
<context>
    <name>lockstep::shell::IssuePane</name>
    <message>
        <source>Issues</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>清空列表</translation>
    </message>
    <message>
        <source>1 error</source>
        <translation>1 个错误</translation>
    </message>
    <message numerus="yes">
        <source>%n errors</source>
        <translation>
            <numerusform>%n 个错误</numerusform>
        </translation>
    </message>
    <message>
        <source>1 warning</source>
        <translation>1 个警告</translation>
    </message>
    <message numerus="yes">
        <source>%n warnings</source>
        <translation>
            <numerusform>%n 个警告</numerusform>
        </translation>
    </message>
    <message>
        <source>1 note</source>
        <translation>1 条提示</translation>
    </message>
    <message numerus="yes">
        <source>%n notes</source>
        <translation>
            <numerusform>%n 条提示</numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing to report</source>
        <translation>没有问题</translation>
    </message>
</context>
<context>
    <name>lockstep::shell::Locator</name>
    <message>
        <source>Page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Nothing here has all these words.</source>
        <translation>没有包含所有这些词的条目。</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Find page, run, action</source>
        <translation>查找页面、运行、操作</translation>
    </message>
    <message>
        <source>Type to find a page, run or action</source>
        <translation>键入以查找页面、运行或操作</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>查找结果</translation>
    </message>
</context>
<context>
    <name>lockstep::shell::MainWindow</name>
    <message>
        <source>Issues</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Stop the run</source>
        <translation>停止运行</translation>
    </message>
    <message>
        <source>Resume the run</source>
        <translation>继续运行</translation>
    </message>
    <message>
        <source>New project…</source>
        <translation>新建项目…</translation>
    </message>
    <message>
        <source>Open project…</source>
        <translation>打开项目…</translation>
    </message>
    <message>
        <source>Collapse or widen the page bar</source>
        <translation>收起或展开页面栏</translation>
    </message>
    <message>
        <source>Show or hide the right dock</source>
        <translation>显示或隐藏右侧停靠栏</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>关闭窗口</translation>
    </message>
</context>
<context>
    <name>lockstep::shell::PageBar</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>lockstep::shell::Pane</name>
    <message>
        <source>Close %1</source>
        <translation>关闭“%1”</translation>
    </message>
</context>
<context>
    <name>lockstep::shell::RightDock</name>
    <message>
        <source>Close (F4)</source>
        <translation>关闭 (F4)</translation>
    </message>
</context>
<context>
    <name>lockstep::shell::TaskPane</name>
    <message>
        <source>Running</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>取消“%1”</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Nothing is being worked on.</source>
        <translation>没有正在进行的任务。</translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n 个进行中</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::shell::TopBar</name>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Find page, run, action</source>
        <translation>查找页面、运行、操作</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>No project</source>
        <translation>无项目</translation>
    </message>
    <message>
        <source>Make or open a project</source>
        <translation>新建或打开项目</translation>
    </message>
    <message>
        <source>Project %1</source>
        <translation>项目 %1</translation>
    </message>
    <message>
        <source>New project…</source>
        <translation>新建项目…</translation>
    </message>
    <message>
        <source>Open project…</source>
        <translation>打开项目…</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>Target: %1</source>
        <translation>目标：%1</translation>
    </message>
</context>
<context>
    <name>lockstep::studio::Experiments</name>
    <message>
        <source>can&apos;t be used: %1</source>
        <translation>无法使用：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s)</source>
        <translation>
            <numerusform>%n 个设备</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockstep::studio::ProjectWindow</name>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message numerus="yes">
        <source>%n device(s)</source>
        <translation>
            <numerusform>%n 个设备</numerusform>
        </translation>
    </message>
    <message>
        <source>Open or make a project first.</source>
        <translation>请先打开或新建项目。</translation>
    </message>
    <message>
        <source>No run is shown.</source>
        <translation>未显示任何运行。</translation>
    </message>
    <message>
        <source>The run that is shown has ended.</source>
        <translation>所显示的运行已结束。</translation>
    </message>
    <message>
        <source>The run is going on.</source>
        <translation>运行正在进行。</translation>
    </message>
    <message>
        <source>The run has completed.</source>
        <translation>运行已完成。</translation>
    </message>
    <message>
        <source>Choose a specification…</source>
        <translation>选择规格文件…</translation>
    </message>
    <message>
        <source>Choose a specification</source>
        <translation>选择规格文件</translation>
    </message>
    <message>
        <source>Specifications (*.yaml *.yml)</source>
        <translation>规格文件 (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>A run is being started.</source>
        <translation>正在启动一个运行。</translation>
    </message>
    <message>
        <source>The files of the run can&apos;t be read.</source>
        <translation>无法读取该运行的文件。</translation>
    </message>
</context>
<context>
    <name>lockstep::studio::Studio</name>
    <message>
        <source>Open a project folder</source>
        <translation>打开项目文件夹</translation>
    </message>
    <message>
        <source>New project: name its folder</source>
        <translation>新建项目：指定文件夹名称</translation>
    </message>
</context>
</TS>
