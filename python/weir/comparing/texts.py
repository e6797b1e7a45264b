"""The words of a comparison, each in English and Japanese; what a report has, too, is in its texts."""

from weir.report.texts import TEXTS as OF_REPORT
from weir.report.texts import Words, fill, same

#: The word for a key of the template.
TEXTS: dict[str, Words] = {
    "side_by_side": Words("{count} runs side by side", "{count} 個の実行の比較"),
    "other_winner": Words(
        "The engines disagree about the winner. By flow {flow_fast} takes {flow_gain} less time than {flow_slow}; by "
        "packet {packet_fast} takes {packet_gain} less than {packet_slow}. Flow has no buffers: trust packet where "
        "they fill.",
        "エンジンによって最速が異なります。flow では {flow_fast} の時間は {flow_slow} より {flow_gain} 短く、"
        "packet では {packet_fast} の時間が {packet_slow} より {packet_gain} 短くなります。"
        "flow にはバッファがありません。バッファが埋まる場合は packet の結果を採ってください。",
    ),
    "other_order": Words(
        "The engines disagree about the order. By flow {flow_fast} takes {flow_gain} less time than {flow_slow}; by "
        "packet {packet_fast} takes {packet_gain} less than {packet_slow}.",
        "エンジンによって順序が異なります。flow では {flow_fast} の時間は {flow_slow} より {flow_gain} 短く、"
        "packet では {packet_fast} の時間が {packet_slow} より {packet_gain} 短くなります。",
    ),
    "other_workloads": Words(
        "The workloads differ: run times are not those of the same work.",
        "ワークロードが異なります。同じ仕事の時間ではありません。",
    ),
    "not_finished": Words(
        "{run}: {outcome}. It has no run time to compare.",
        "{run}: {outcome}。比較できる実行時間がありません。",
    ),
    "results": Words("What came of them", "結果"),
    "differ": Words("What differs", "設定の違い"),
    "no_difference": Words("The experiments are the same.", "実験の設定は同じです。"),
    "more_differences": Words("and {count} more keys", "ほか {count} 個のキー"),
    "of_table": Words("{count} keys", "{count} 個のキー"),
    "speedup": Words("speed-up", "速度比"),
    "verdict": Words("verdict", "所見"),
    "speedup_note": Words("Speed-up is that over the first run.", "速度比は最初の実行に対するものです。"),
    "of_bound": Words("{bound} (x {ratio})", "{bound} ({ratio} 倍)"),
    "critical": Words("critical path: {cause}", "クリティカルパス: {cause}"),
    "machines": Words("The machines, on one scale", "計算機 (共通の色の尺度)"),
    "canvas_of": Words(
        "Drawing of the machine of {run}. Arrow keys turn or move it, plus and minus zoom.",
        "{run} の計算機の図。矢印キーで回転または移動、+ と - で拡大と縮小。",
    ),
    "together": Words("turn and zoom together", "回転と拡大を連動"),
    "coupled": Words("slider", "スライダ"),
    "instant": Words("same instant", "同じ時刻"),
    "share": Words("same share of each run", "各実行の同じ割合"),
    "ended": Words("ended at {time}", "{time} に終了"),
    "machines_note": Words(
        "All runs have one scale of colors; up to the largest value, whole runs have another one than instants.",
        "色の目盛は、全ての実行で共通です。最大値までの目盛は、全期間と各時刻で異なります。",
    ),
    "same_machine_note": Words(
        "Point at a link or dot: all runs on the same machine show theirs.",
        "リンクや点を指すと、同じ計算機の全ての実行について値を表示します。",
    ),
    "no_pictures": Words("the use of links over time was not recorded", "時間変化は記録されていません"),
    "no_quantity": Words("not recorded", "記録なし"),
    "no_machine": Words("no machine to draw", "描く計算機がありません"),
    "over_time": Words("Over time", "時間変化"),
    "over_time_note": Words(
        "Full lines: the busiest link of each interval; dotted ones: the mean of all links.",
        "実線: 各区間で最も混むリンク。点線: 全リンクの平均。",
    ),
    "of_busiest": Words("{run}", "{run}"),
    "of_mean": Words("{run}: mean", "{run}: 平均"),
    "path_chart": Words("Critical paths", "クリティカルパス"),
    "path_note": Words(
        "The longest chain of work and messages in each run, as long as the run, by what it consists of.",
        "各実行で最も長い仕事とメッセージの連鎖です。実行時間と同じ長さで、内訳を示します。",
    ),
    "axis_share_message": Words("messages (%)", "メッセージ (%)"),
    "axis_share_packet": Words("packets (%)", "パケット (%)"),
}


def words(key: str, **values: object) -> Words:
    """The text for a key, with values filled in; `KeyError` if there is none."""
    return fill(key, TEXTS.get(key) or OF_REPORT[key], values)


def cause(name: str) -> Words:
    """What a report calls a cause; one that it does not know has its own name."""
    return words(f"cause_{name}") if f"cause_{name}" in OF_REPORT else same(name)
