"""The words of a report, each in English and Japanese. Both are in every page; its switch shows one of them."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Words:
    """One text in both languages, and what it says: which sentence it is, and with which values."""

    en: str
    ja: str
    #: The sentence's name in `TEXTS`; empty for what is no sentence, as a name or a number.
    key: str = ""
    values: dict[str, object] = field(default_factory=dict)


#: The word for a key of the template, `t("key")`.
TEXTS: dict[str, Words] = {
    # The page
    "language": Words("日本語", "English"),
    "offline": Words("One file; it opens without a network.", "1 つのファイルです。ネットワークなしで開けます。"),
    "no_script": Words(
        "The drawings need JavaScript, which is switched off.",
        "図の表示には JavaScript が必要です。現在は無効になっています。",
    ),
    "nothing_arrived": Words("Nothing has arrived.", "何も届いていません。"),
    "not_recorded": Words("Not recorded.", "記録されていません。"),
    "would_record": Words("{setting} records it.", "{setting} を指定すると記録されます。"),
    "made_by": Words("made by weir {version}", "weir {version} で作成"),
    # The answer
    "simulated": Words("simulated time", "仮想時間 (シミュレーション上の時間)"),
    "outcome": Words("outcome", "結果"),
    "finished": Words("finished", "完了"),
    "deadlock": Words("deadlock", "デッドロック"),
    "aborted": Words("aborted", "異常終了"),
    "limit": Words("stopped at a limit", "上限で停止"),
    "incomplete": Words("did not end", "最後まで実行されていません"),
    "band": Words("band", "幅"),
    "band_of": Words(
        "{low} to {high}, by the intervals of {keys} calibrated keys of the machine",
        "{low} から {high} (較正された {keys} 個のキーの区間による)",
    ),
    "bound": Words("lower bound", "下界"),
    "bound_of": Words("{ratio} times the lower bound {bound}", "下界 {bound} の {ratio} 倍"),
    "bound_met": Words(
        "at the lower bound ({bound}): with these routes and this mapping no schedule can be faster",
        "下界 ({bound}) に達しています。この経路と配置では、これより速い順序はありません",
    ),
    "engine": Words("engine", "エンジン"),
    "ideal": Words("ideal: no network", "ideal: ネットワークなし"),
    "flow": Words("flow: bandwidth is shared", "flow: バンド幅の分け合い"),
    "packet": Words("packet: buffers and credits", "packet: バッファとクレジット"),
    "machine": Words("machine", "計算機"),
    "faults": Words("faults", "故障"),
    "failed_links": Words("{failed} links failed, {slow} slow", "故障リンク {failed}、低速リンク {slow}"),
    "ranks": Words("ranks", "ランク"),
    "ranks_of": Words("{count} ranks", "{count} ランク"),
    "numbers": Words("In numbers", "数値"),
    "own": Words("The simulation itself", "シミュレーション自体"),
    "messages": Words("messages", "メッセージ"),
    "data": Words("data", "データ量"),
    "busiest": Words("busiest link", "最も混むリンク"),
    "mean_utilization": Words("mean link utilization", "リンク利用率の平均"),
    "latency_mean": Words("mean packet latency", "パケットレイテンシの平均"),
    "load": Words("load offered / accepted", "注入負荷 / 受信スループット"),
    "wall": Words("wall-clock time of the run", "実行時間 (実時間)"),
    "memory": Words("memory", "メモリ"),
    "digest": Words("digest", "ダイジェスト"),
    "nodes_routers": Words(
        "{nodes} nodes, {routers} routers, {links} links",
        "{nodes} ノード、{routers} ルータ、{links} リンク",
    ),
    "busiest_link": Words("{utilization} · {link}", "{utilization} · {link}"),
    "loads": Words("{offered} / {accepted}", "{offered} / {accepted}"),
    "nodes_only": Words("{nodes} nodes, no network", "{nodes} ノード、ネットワークなし"),
    # Causes
    "causes": Words("Where the time went", "時間の内訳"),
    "causes_none": Words(
        "The causes of the ranks' time were not recorded. output.causes = true records them and the critical path.",
        "時間の内訳は記録されていません。output.causes = true で、クリティカルパスとともに記録されます。",
    ),
    "critical_path": Words("critical path", "クリティカルパス"),
    "all_ranks": Words("all ranks", "全ランク"),
    "cause": Words("cause", "原因"),
    "at_best": Words("about, with less of it", "減らした場合の推定"),
    "less": Words("{part} less", "{part} 減"),
    "cause_compute": Words("compute", "計算"),
    "cause_start_up": Words("start-up", "起動 (送受信のオーバヘッド)"),
    "cause_late_sender": Words("late sender", "送信の遅れ"),
    "cause_late_receiver": Words("late receiver", "受信の遅れ"),
    "cause_latency": Words("latency", "レイテンシ"),
    "cause_serialization": Words("serialization", "データの転送"),
    "cause_contention": Words("contention", "競合"),
    "cause_credits": Words("credits", "クレジット待ち"),
    "cause_other": Words("other", "その他"),
    "cause_finished": Words("finished", "完了後"),
    "path_more": Words("More about the critical path", "クリティカルパスについて"),
    "range": Words("scale", "目盛"),
    "range_whole": Words("0 to 100 %", "0 ～ 100 %"),
    "range_own": Words("up to the largest value", "最大値まで"),
    "path_follows": Words(
        "The critical path is the longest chain of work and messages: it decides how long the run takes. Messages "
        "on it: {messages}; links that these pass: {links}; its last ranks: {ranks}.",
        "クリティカルパスは計算とメッセージの最も長い連鎖で、実行時間を決めます。{links} リンクを通る {messages} "
        "メッセージをたどり、最後に通るランクは {ranks} です。",
    ),
    "path_calls": Words("The path by call: {calls}.", "クリティカルパスの呼び出し別内訳: {calls}。"),
    "path_sites": Words("By where the program called: {parts}.", "呼び出し位置別: {parts}。"),
    "path_phases": Words("By phase: {parts}.", "フェーズ別: {parts}。"),
    "path_work": Words("Work by rank: {parts}.", "ランク別の計算: {parts}。"),
    "path_latency": Words("Latency by class of links: {parts}.", "リンク種別ごとの遅延: {parts}。"),
    "path_bytes": Words("Bytes held up by a class of links: {parts}.", "リンク種別ごとの転送待ち: {parts}。"),
    "path_narrowest": Words("Narrowest links: {parts}.", "最も細いリンク: {parts}。"),
    "job_waited": Words(
        "Messages of job {job} waited {time} for other jobs at links, all messages together, {there} of it at {link}: "
        "{jobs} of the waiting there.",
        "ジョブ {job} のメッセージは、リンクで他のジョブを合計 {time} 待ちました。最も長いのは {link} の {there} です "
        "(そこでの待ちの内訳: {jobs})。",
    ),
    "best_note": Words(
        "These estimates assume half of that cause; of contention, credits and late partners they assume none, and for "
        "serialization twice the bandwidth. Without contention there is no waiting for credits either. The run may "
        "take longer than that, for another chain may then be the longest.",
        "推定: その原因が半分の場合です。競合 (クレジット待ちも含む)、クレジット待ち、相手の待ちは、"
        "なくなった場合です。データの転送はバンド幅 2 倍の場合で、競合とクレジット待ちも半分になります。"
        "他の経路の方が長くなることがあります。",
    ),
    "validity": Words("Limits of this result", "この結果の限界"),
    "assumed": Words("Defaults that decide this result", "入力にない既定値 (結果を左右するもの)"),
    "why": Words("Why it stopped", "停止した理由"),
    # What limits the answer
    "limit_ideal": Words(
        "The ideal engine knows no network: messages do not share links and do not wait for each other. "
        "The time is that of a network that costs nothing, or has the given LogGP parameters.",
        "ideal エンジンにはネットワークがありません。メッセージはリンクを分け合わず、互いに待ちません。"
        "この時間は、ネットワークの時間がゼロ (または LogGP の値) の場合のものです。",
    ),
    "limit_flow": Words(
        "The flow engine knows bandwidth only: who shares which link. It has no buffers, no packets and no "
        "back pressure, so congestion that spreads from full buffers is not in this time.",
        "flow エンジンが扱うのはバンド幅の分け合いだけです。バッファ、パケット、バックプレッシャはなく、"
        "バッファが満杯になって広がる輻輳はこの時間に含まれません。",
    ),
    "limit_single_pass": Words(
        "Links were shared in a single pass: flows may get less than their fair share.",
        "リンクの配分は 1 回のみです。フローは公平な量より少ないことがあります。",
    ),
    "limit_iterative": Words(
        "Links were shared by iteration to a threshold: rates differ from the fair ones by about this threshold.",
        "リンクの配分はしきい値までの反復です。レートは公平な値と、しきい値の程度だけ異なります。",
    ),
    "limit_iterative_literal": Words(
        "Links were shared by the literal loop of the MFS paper: nothing is left over, but shares are unfair.",
        "リンクの配分は MFS の論文の反復そのままです。余りは残りませんが、配分は公平とは限りません。",
    ),
    "limit_packet": Words(
        "The packet engine moves whole packets (virtual cut-through); flits count in the timing only.",
        "packet エンジンはパケット単位 (virtual cut-through) です。フリットは時間の計算にだけ現れます。",
    ),
    "limit_saturated": Words(
        "The network is saturated: less arrived than was offered. Latencies grow with the length of the run "
        "and are not those of a steady state.",
        "ネットワークは飽和しています。注入した量より少ししか届いていません。レイテンシは測定時間とともに増え、"
        "定常状態の値ではありません。",
    ),
    "limit_warmup": Words(
        "The first {warmup} are warm-up: packets move in it, but latencies, loads and links leave it out.",
        "最初の {warmup} は準備期間です。パケットは動きますが、レイテンシ、負荷、リンクの値には含まれません。",
    ),
    "limit_no_warmup": Words(
        "There was no warm-up: the empty network of the beginning is part of the mean values.",
        "準備期間がありません。最初の空のネットワークも平均値に含まれます。",
    ),
    "limit_deadlock": Words(
        "The program did not finish: the time is when nothing could happen any more.",
        "プログラムは完了していません。この時間は、何も進めなくなった時点です。",
    ),
    "limit_aborted": Words(
        "The program did not finish: the time is when it was aborted.",
        "プログラムは完了していません。この時間は、異常終了した時点です。",
    ),
    "limit_limit": Words(
        "The run was stopped by a limit ({which}): the time is not that of the whole workload.",
        "上限 ({which}) で停止しました。この時間は負荷全体のものではありません。",
    ),
    "unfinished": Words(
        "This run has not ended. The page shows the results that it had written.",
        "この実行は最後まで終わっていません。ここに示すのは、途中までに残された結果です。",
    ),
    "seen": Words("of simulated time are recorded", "までの仮想時間 (シミュレーション上の時間) が記録されています"),
    "no_part": Words(
        "The run did not complete a part of this table.", "この表の完結した部分は、まだ残されていません。"
    ),
    "at_the_end": Words(
        "This table is written when a run ends; this one has not.",
        "この表は実行の終わりに書かれます。この実行は終わっていません。",
    ),
    "limit_incomplete": Words(
        "The run was killed, or is not over: there is no summary, and tables end where the last complete part ends.",
        "実行が中断されたか、まだ終わっていません。要約はなく、表は完結した最後の部分までです。",
    ),
    "limit_ties": Words(
        "Tie-sensitive: with perturbed ties the result spreads by {spread}. Repeat it with several seeds, and compare "
        "means.",
        "結果は同時刻の処理順に左右されます。順序を変えると {spread} ばらつきます。種を変えた平均を比べてください。",
    ),
    "limit_compute": Words(
        "The program's own work takes no time (workload.compute).",
        "プログラム自身の計算時間は 0 です (workload.compute)。",
    ),
    "limit_compute_charged": Words(
        "Only weir_compute and its kin count as work here: {time} of all ranks together (workload.compute).",
        "計算時間は weir_compute などで与えた分 (全ランクの合計 {time}) だけです (workload.compute)。",
    ),
    "limit_compute_unknown": Words(
        "Of the program's own work only what it charges by weir_compute and its kin counts (workload.compute).",
        "プログラム自身の計算は weir_compute などで与えた分だけが数えられます (workload.compute)。",
    ),
    "limit_units": Words(
        "Quantities of the experiment have no units: read seconds and bytes on this page as units of its own.",
        "実験ファイルの量に単位がありません。このページの秒とバイトは実験ファイル独自の単位と読んでください。",
    ),
    "limit_frames": Words(
        "Time slider: {frames} steps of {per} recorded intervals each. The tables have all samples.",
        "時間スライダは、記録区間 {per} 個ずつをまとめた {frames} 枚の図です。表にはすべての区間があります。",
    ),
    # Why it stopped
    "waits_rank": Words(
        "rank {rank} in {call}, for {peer}{details}", "ランク {rank}: {call}、待つ相手 {peer}{details}"
    ),
    "circle_ranks": Words("Ranks that wait in a circle: {ranks}", "輪になって待つランク: {ranks}"),
    "circle_channels": Words("Virtual channels that wait in a circle:", "輪になって待つ仮想チャネル:"),
    "waits_channel": Words(
        "{link}, channel {vc}: {packets} packets wait for {next}, channel {next_vc}",
        "{link} チャネル {vc}: {packets} パケットが {next} チャネル {next_vc} を待つ",
    ),
    "waiting_ranks": Words("Ranks that wait ({count}):", "待っているランク ({count}):"),
    "and_more": Words("... and {count} more", "... ほか {count}"),
    "aborted_by": Words("rank {rank}: {why}", "ランク {rank}: {why}"),
    "a_rank": Words("rank {rank}", "ランク {rank}"),
    "any_rank": Words("any rank", "任意のランク"),
    "several_ranks": Words("several ranks", "複数のランク"),
    # The picture
    "picture": Words("The machine", "計算機の図"),
    "quantity": Words("color", "色"),
    "utilization": Words("link utilization", "リンク利用率"),
    "busy": Words("busy rate of links", "リンクのビジー率"),
    "buffers": Words("packets in input buffers (mean)", "入力バッファのパケット数 (平均)"),
    "view": Words("view", "表示"),
    "view_space": Words("space", "立体"),
    "view_layers": Words("layers", "層別"),
    "play": Words("play", "再生"),
    "pause": Words("pause", "一時停止"),
    "whole_run": Words("whole run", "全期間"),
    "reset": Words("reset view", "表示を戻す"),
    "canvas_label": Words(
        "The machine: dots are its routers and nodes, lines its links; the color says how much they are used.",
        "計算機の図: 点はルータとノード、線はリンク。色は使われ方を表します。",
    ),
    "time_slider": Words("simulated time", "仮想時間"),
    "picture_click": Words(
        "Click a dot or line to list its links.", "点や線をクリックすると、そのリンクの一覧を表示します。"
    ),
    "picture_route": Words(
        "Click the dots of two nodes, one after the other, to see the route from the first to the second.",
        "2 つのノードの点を順にクリックすると、最初のノードから次のノードへの経路を表示します。",
    ),
    "picture_note": Words(
        "A dot has the color of the busiest link that begins or ends there, those of its nodes included. Every link "
        "is drawn on the right of its direction. Drag and scroll to look around.",
        "点の色は、そこで始まる、または終わるリンク (ノードとのリンクを含む) のうち最も混むものの色です。"
        "リンクは進行方向の右側に描きます。ドラッグとスクロールで視点を動かせます。",
    ),
    "picture_around": Words(
        "Wrap-around links are drawn as short ends.",
        "トーラスの折り返しは短い線にします。",
    ),
    "picture_groups": Words(
        "Each dot is a whole group, its routers and nodes together; links within it are not drawn.",
        "各点は 1 つのグループ全体 (ルータとノード) です。グループ内のリンクは描きません。",
    ),
    "picture_layers": Words(
        "The layer view hides links between layers, but the color of a dot includes them.",
        "層別の表示では層の間のリンクを描きません。点の色には含まれます。",
    ),
    "picture_most": Words(
        "Lines: the {count} busiest links of the moment out of {all}.",
        "線: その時点で混む上位 {count} リンク (全 {all})。",
    ),
    "no_series": Words(
        "There is no time slider, because the use of links over time was not recorded.",
        "時間変化が記録されていないため、時間スライダはありません。",
    ),
    "no_machine_yet": Words(
        "There are no tables of places and links: the run had no machine, or was killed before it had written them.",
        "計算機の構成の表がありません。計算機のない実行か、表を書く前に中断されたものです。",
    ),
    "no_topology": Words("The run had no machine to draw.", "描く計算機がありません。"),
    "save_as": Words("save as", "保存"),
    "route": Words("route", "経路"),
    "route_from": Words("route from", "経路の始点"),
    "route_to": Words("route to", "経路の終点"),
    "color_class": Words("class of links", "リンクの種別"),
    "class": Words("class", "種別"),
    "class_dimension": Words("dimension {axis}", "{axis} 方向"),
    "class_stages": Words("stages {low} and {high}", "段 {low} と {high} の間"),
    "class_local": Words("within a group", "グループ内"),
    "class_global": Words("between groups", "グループ間"),
    "group_pod": Words("pod {number}", "ポッド {number}"),
    "group_number": Words("group {number}", "グループ {number}"),
    "network_number": Words("network {number}", "ネットワーク {number}"),
    "level_nodes": Words("nodes", "ノード"),
    "level_stage": Words("stage {number}", "段 {number}"),
    "search": Words("Find", "検索"),
    "search_form": Words("rank 3, node 5, link 7", "ランク 3、リンク 7"),
    "node_number": Words("node {number}", "ノード {number}"),
    "search_nothing": Words("Nothing has this name.", "該当するものがありません。"),
    # Links
    "links": Words("The ten busiest links", "最も混む 10 リンク"),
    "link": Words("link", "リンク"),
    "kind": Words("kind", "種類"),
    "kind_injection": Words("injection", "注入"),
    "kind_ejection": Words("ejection", "取り出し"),
    "kind_network": Words("network", "網内"),
    "util": Words("utilization", "利用率"),
    "bytes": Words("data", "データ量"),
    "effective_bandwidth": Words("effective bandwidth", "実効バンド幅"),
    "throughput": Words("throughput", "スループット"),
    "max_share": Words("most flows", "最大フロー数"),
    "waited": Words("mean wait", "平均待ち"),
    "max_queue": Words("longest queue", "最長の待ち行列"),
    "crossed": Words("pairs whose route crosses it", "経路が通る組"),
    "route_of": Words("{from_} to {to}", "{from_} から {to}"),
    "show": Words("show", "表示"),
    "links_note": Words(
        "Choose a link to see it, and the largest routes over it, in the drawing above.",
        "リンクを選ぶと、そのリンクと、それを通る主な経路を上の図に示します。",
    ),
    "class_mean": Words("{name}: {links} links, {mean} on average.", "{name}: {links} リンク、平均 {mean}。"),
    "no_routes": Words("Routes on these links are not known.", "これらのリンクを通る経路は不明です。"),
    "routes_coarse": Words(
        "The communication matrix is in blocks of {ranks} ranks, too coarse for routes.",
        "通信行列が {ranks} ランク単位のため、経路は求められません。",
    ),
    "routes_no_command": Words(
        "The command weir, which computes them, was not found; `weir report` finds it, or the variable WEIR names it.",
        "経路を計算するコマンド weir が見つかりません。`weir report` を使うか、変数 WEIR で指定してください。",
    ),
    "routes_failed": Words("weir could not compute them: {why}.", "weir で計算できませんでした: {why}。"),
    # Jobs
    "jobs": Words("Jobs that share the machine", "計算機を共有するジョブ"),
    "job": Words("job", "ジョブ"),
    "job_ranks": Words("ranks", "ランク数"),
    "job_nodes": Words("nodes", "ノード数"),
    "job_start": Words("begins at", "開始"),
    "job_wait": Words("waited for nodes", "ノード待ち"),
    "job_time": Words("time", "所要時間"),
    "job_messages": Words("messages", "メッセージ数"),
    "job_bytes": Words("data", "データ量"),
    "job_alone": Words("alone", "単独"),
    "job_slowdown": Words("ratio", "比"),
    "job_others": Words("waited for others", "他のジョブ待ち"),
    "job_open": Words("not over", "未完了"),
    "jobs_note": Words(
        "The time of a job is from its start to the last instant at which something happened to one of its ranks.",
        "ジョブの所要時間は、開始から、そのランクに最後に何かが起きた時点までです。",
    ),
    "jobs_alone_note": Words(
        "Alone it runs at the same nodes while the others are idle; the ratio says how many times as long it takes "
        "beside them, or, of a job whose time is fixed, how many times as many messages come alone.",
        "単独は、他のジョブが停止した状態で、同じノードで実行した値です。比は、他のジョブと一緒に実行したときの所要時間の倍率です。"
        "時間が決まっているジョブでは、単独で届くメッセージ数の倍率です。",
    ),
    "jobs_others_note": Words(
        "Waiting for others is what all of its messages together waited at links for those of other jobs, so it may be "
        "longer than the job.",
        "他のジョブ待ちは、全メッセージがリンクで他のジョブのメッセージを待った時間の合計です。所要時間より長いことがあります。",
    ),
    "jobs_more": Words(
        "{count} further jobs are in `summary.json`.",
        "ほかの {count} ジョブは `summary.json` にあります。",
    ),
    # Calls
    "waiting": Words("Where ranks wait", "ランクの待ち時間"),
    "call": Words("call", "呼び出し"),
    "calls": Words("calls", "回数"),
    "call_time": Words("time in it", "所要時間"),
    "call_waited": Words("waited", "待ち時間"),
    "call_share": Words("of all ranks' time", "全ランク時間に対する割合"),
    "call_longest": Words("longest wait", "最長の待ち"),
    "call_open": Words("{count} not over", "未完了 {count}"),
    "waiting_note": Words(
        "In these functions all ranks together waited longest for messages to come or leave. The rest of the time in a "
        "call is processor time.",
        "ランクが最も長く待った関数 (全ランクの合計)。メッセージの到着や送信完了などを待った時間です。"
        "呼び出しの残りの時間はプロセッサの処理です。",
    ),
    # Charts
    "time_chart": Words("Over time", "時間変化"),
    "congestion_chart": Words("Congestion: where, and when", "輻輳の場所と時刻"),
    "axis_packets": Words("packets", "パケット数"),
    "congestion_note_packet": Words(
        "Packets in the input buffers at the ends of links. Buffers are in the order in which they fill; of those that "
        "fill together the fullest are first. Packets waited longest for {link}: {mean} each on average, {all} in sum.",
        "リンクの終端の入力バッファにあるパケット数です。バッファが埋まる順 (同時なら多い順) に並べてあります。"
        "最も長く待たされたリンクは {link} です (合計 {all}、1 パケット平均 {mean})。",
    ),
    "congestion_note_none": Words(
        "Packets in the input buffers at the ends of links. No packet waited for a link.",
        "リンクの終端の入力バッファにあるパケット数です。リンクを待ったパケットはありません。",
    ),
    "congestion_note_unfinished": Words(
        "Packets in the input buffers at the ends of links. No packet that has gone on had waited for a link; how long "
        "those that stand in buffers at the end have waited is not counted.",
        "リンクの終端の入力バッファにあるパケット数です。先へ進んだパケットにリンク待ちはありません。"
        "終了時にバッファに残るパケットの待ち時間は数えていません。",
    ),
    "congestion_note_unknown": Words(
        "Packets in the input buffers at the ends of links. How long packets waited is known only when a run ends.",
        "リンクの終端の入力バッファにあるパケット数です。パケットの待ち時間は実行が終わるまで分かりません。",
    ),
    "congestion_note_links": Words(
        "Utilization of the busiest links, in the order in which they fill. How many packets stood in buffers was not "
        "recorded (output.series).",
        "最も混むリンクの利用率です。混み始めた順に並べてあります。バッファのパケット数は記録されていません"
        " (output.series)。",
    ),
    "congestion_note_flow": Words(
        "Utilization of the busiest links, in the order in which they fill. The flow engine has no buffers in which "
        "congestion could spread.",
        "最も混むリンクの利用率です。混み始めた順に並べてあります。flow エンジンには輻輳が広がるバッファがありません。",
    ),
    "latency_chart": Words("Latencies", "レイテンシの分布"),
    "latency_chart_message": Words("Latencies of messages", "メッセージのレイテンシの分布"),
    "latency_chart_packet": Words("Latencies of packets", "パケットのレイテンシの分布"),
    "matrix_chart": Words("Who sends to whom", "通信行列"),
    "axis_time": Words("simulated time ({unit})", "仮想時間 ({unit})"),
    "axis_utilization": Words("utilization (%)", "利用率 (%)"),
    "axis_latency": Words("latency ({unit})", "レイテンシ ({unit})"),
    "axis_count_message": Words("messages", "メッセージ数"),
    "axis_count_packet": Words("packets", "パケット数"),
    "axis_from": Words("sending rank", "送信ランク"),
    "axis_to": Words("receiving rank", "受信ランク"),
    "axis_bytes": Words("bytes", "バイト"),
    "trace_busiest": Words("busiest link of the interval", "区間で最も混むリンク"),
    "trace_mean": Words("mean of all links", "全リンクの平均"),
    "trace_latency_mean_message": Words("mean latency of messages", "メッセージの平均レイテンシ"),
    "trace_latency_max_message": Words("longest of messages", "メッセージの最長レイテンシ"),
    "trace_latency_mean_packet": Words("mean latency of packets", "パケットの平均レイテンシ"),
    "trace_latency_max_packet": Words("longest of packets", "パケットの最長レイテンシ"),
    "matrix_note": Words(
        "{messages} messages, {bytes}. A cell is {block} x {block} ranks; colors are logarithmic.",
        "{messages} メッセージ、{bytes}。1 マスは {block} x {block} ランク。色は対数です。",
    ),
    "latency_note_message": Words(
        "{count} messages, from being handed to the interface until all of it has arrived.",
        "{count} メッセージ。インタフェースへの受け渡しから到着完了まで。",
    ),
    "latency_note_packet": Words(
        "{count} packets, from their start on the injection link until all of it is at the node.",
        "{count} パケット。注入リンクでの開始からノードへの到着完了まで。",
    ),
    "experiment": Words("The experiment, with every default filled in", "実験の設定 (既定値を含む)"),
}


def words(key: str, **values: object) -> Words:
    """The text for a key, with values filled in; `KeyError` if there is none."""
    return fill(key, TEXTS[key], values)


def fill(key: str, found: Words, values: dict[str, object]) -> Words:
    """A text with values filled in, by its key."""
    if not values:
        return Words(found.en, found.ja, key)
    en = {name: value.en if isinstance(value, Words) else value for name, value in values.items()}
    ja = {name: value.ja if isinstance(value, Words) else value for name, value in values.items()}
    return Words(found.en.format(**en), found.ja.format(**ja), key, values)


def same(text: object) -> Words:
    """A text that is the same in both languages: a number, a name."""
    return Words(str(text), str(text), values={"value": text})
