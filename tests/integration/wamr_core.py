"""A core module, attached long after its start: nearly every sample has a name, every offset lies
in the function named, all sums are exact, the number of samples fits the CPU time, and nothing
stays loaded."""
import lib
from lib import check, say
from wamr_common import (MIN_WASM, Recorder, attributed, check_offsets, check_rate, check_sums,
                         loaded_programs, our_programs, record_pid, start_ready, wait_cpu)

lib.need_root()
image = lib.inputs("mix")
target, texts = start_ready(image, 0)
wait_cpu(target.pid, 1)

for arguments in ([], ["--no-stacks"]):
    say(f"-- {' '.join(arguments) or 'with stacks'}")
    data = record_pid(target.pid, 4, *arguments)
    check_sums(data)
    check(data["stacks"] == (not arguments), "the report does not say whether it has stacks")
    say(f"attributed: {attributed(data):.2f} %")
    check(attributed(data) >= MIN_WASM, f"only {attributed(data):.2f} % of the samples have names")
    say(f"{check_offsets(data, image)} offsets, all in the function named")
    check_rate(data, *data["cpu_bounds"])
    check(data["samples"]["lost"] == 0, f"{data['samples']['lost']} samples lost")
    least, most = data["cpu_bounds"]
    check(0.95 * least <= data["target_cpu_s"] <= 1.05 * most,
          f"target_cpu_s {data['target_cpu_s']} is not between {least} and {most}")
    check([(int(r["start"], 16), r["image"]) for r in data["regions"]] == texts,
          f"regions {data['regions']} are not {texts}")
    shares = lib.shares(data)
    for name in ("fp", "dispatch", "many", "interp", "memsum"):
        check(shares.get(name, 0) >= 3, f"{name} has {shares.get(name, 0):.1f} % of the samples")

text = lib.aotscope("report", data["recording"]).stdout
for name in ("fp", "dispatch", "many", "interp", "memsum", "cpu-clock", "999 Hz", "mix.cwasm"):
    check(name in text, f"the table lacks {name}:\n{text}")

recorder = Recorder("-p", target.pid)
ours = our_programs(recorder.process.pid)
check(ours, "record holds no BPF program that bpftool can see")
recorder.stop()
lib.wait_for(lambda: not ours & loaded_programs(), "the programs to be unloaded", 5)
say(f"{len(ours)} programs were loaded, none is left")
