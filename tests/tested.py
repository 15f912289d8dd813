"""The test file of every module that has none of its own name in its room's folder; `test_house.py` holds this true.

A kernels' module also counts as tested by the file of the module that it serves: `x_kernels` by `test_x.py`.
"""

TESTED_BY = {
    "tests/bot/browser/test_browsing.py": "bot/browser/library",
    "tests/bot/browser/test_following.py": "bot/browser/views/progress",
    "tests/bot/browser/test_inside.py": "bot/browser/messages",
    "tests/bot/browser/test_luck.py": "bot/browser/views/bot_luck",
    "tests/bot/browser/test_playing.py": """
        bot/browser/bankroll bot/browser/results bot/browser/running bot/browser/seat
        bot/browser/sit_and_go
    """,
    "tests/bot/browser/test_site.py": """
        bot/browser/serving bot/commands/table
    """,
    "tests/bot/browser/test_tables.py": "bot/browser/setup",
    "tests/bot/browser/views/test_grid.py": "strategies/trees/lines",
    "tests/bot/browser/views/test_inside.py": """
        bot/browser/views/hand_values bot/browser/views/tree_node
    """,
    "tests/bot/browser/views/test_replay.py": "protocol/archives/hand_file",
    "tests/bot/browser/views/test_strategy_tree.py": "bot/browser/views/choices",
    "tests/bot/client/test_client.py": "bot/client/tally",
    "tests/bot/client/test_control.py": "bot/client/matches",
    "tests/bot/commands/test_agree.py": """
        dealer/measures/agree strategies/measures/agreement/action_values
    """,
    "tests/bot/commands/test_draw_tools.py": "bot/commands/explain_draw",
    "tests/bot/commands/test_explain.py": "strategies/resolving/explanation",
    "tests/bot/commands/test_hands.py": """
        dealer/logs/log_filter dealer/logs/log_replay
    """,
    "tests/bot/commands/test_model.py": "dealer/measures/learn_model",
    "tests/bot/commands/test_parameters.py": "configs/limits",
    "tests/bot/commands/test_progress.py": "strategies/workers/progress",
    "tests/bot/commands/test_strategy.py": """
        bot/commands/strategy_curve bot/commands/strategy_diff bot/commands/strategy_duel
        bot/commands/strategy_exploit bot/commands/strategy_flop_values bot/commands/strategy_grid
        bot/commands/strategy_preflop bot/commands/strategy_rivers bot/commands/strategy_show
        bot/commands/strategy_verify strategies/blueprint/named strategies/training/training_courses
        strategies/training/training_plot
    """,
    "tests/bot/test_commands.py": """
        bot/cli bot/commands/check bot/commands/play bot/commands/players bot/commands/range
        bot/commands/warmup
    """,
    "tests/configs/test_loading.py": "configs/fitting",
    "tests/configs/test_shipped.py": "bot/commands/list",
    "tests/dealer/logs/test_draw_logs.py": "protocol/quick_reader",
    "tests/dealer/logs/test_log_parts.py": "dealer/logs/log_results",
    "tests/dealer/logs/test_log_summary.py": """
        dealer/logs/log_deals dealer/logs/log_facts dealer/logs/log_sums dealer/logs/log_times
    """,
    "tests/dealer/matches/test_faults.py": "dealer/matches/guarded_process",
    "tests/dealer/matches/test_match.py": """
        bot/commands/match bot/commands/match_view dealer/matches/match_result dealer/matches/matchconfig
    """,
    "tests/dealer/measures/test_evaluate.py": """
        bot/commands/evaluate dealer/measures/evaluate_report dealer/measures/evaluate_run
    """,
    "tests/dealer/measures/test_lbr.py": """
        dealer/measures/line_measure strategies/workers/cluster_work
    """,
    "tests/dealer/measures/test_luck_job.py": "dealer/measures/match_luck",
    "tests/dealer/reports/test_report.py": """
        bot/commands/report dealer/reports/report_charts dealer/reports/report_document dealer/reports/report_html
        dealer/reports/report_markdown dealer/reports/report_match dealer/reports/report_pages
        dealer/reports/report_sng dealer/reports/report_summary
    """,
    "tests/dealer/sit_and_go/test_compiled.py": """
        dealer/sit_and_go/inprocess dealer/sit_and_go/sit_and_go dealer/sit_and_go/sng_kernels
        dealer/sit_and_go/structure
    """,
    "tests/dealer/sit_and_go/test_dealt_hand.py": "dealer/table/terms",
    "tests/dealer/sit_and_go/test_prize_luck.py": """
        strategies/measures/luck/showdown_order_kernels strategies/measures/luck/showdown_orders
    """,
    "tests/dealer/sit_and_go/test_sng_run.py": "dealer/sit_and_go/journal",
    "tests/dealer/table/test_dealer_tcp.py": """
        bot/commands/dealer dealer/table/clocks dealer/table/connection dealer/table/files dealer/table/reactor
        dealer/table/run dealer/table/server
    """,
    "tests/dealer/table/test_deals.py": """
        dealer/table/ports dealer/table/seating
    """,
    "tests/dealer/table/test_draw_table.py": """
        dealer/table/responses dealer/table/score
    """,
    "tests/dealer/table/test_table.py": "dealer/table/views",
    "tests/dealer/tournaments/test_tournament.py": """
        bot/commands/tournament dealer/matches/over_tcp dealer/reports/report_tournament
        dealer/tournaments/tournament_config dealer/tournaments/tournament_match dealer/tournaments/tournament_result
    """,
    "tests/dealer/tournaments/test_tournament_cluster.py": "strategies/workers/cluster",
    "tests/protocol/archives/test_blocks.py": "protocol/archives/packed",
    "tests/protocol/archives/test_convert.py": """
        protocol/archives/skipped protocol/archives/write_acpc protocol/holdem
    """,
    "tests/protocol/archives/test_quick_pokerstars.py": "protocol/archives/write_pokerstars",
    "tests/protocol/archives/test_read_pokerstars.py": """
        protocol/archives/betting protocol/archives/payoffs protocol/archives/pokerstars_grammar
    """,
    "tests/protocol/test_cards.py": "protocol/errors",
    "tests/protocol/test_draws.py": "protocol/phases",
    "tests/protocol/test_gamedef.py": """
        protocol/chip_sums protocol/pot_fractions
    """,
    "tests/protocol/test_handhistory.py": "protocol/handnames",
    "tests/strategies/abstraction/clusters/test_potential.py": """
        strategies/abstraction/clusters/config strategies/abstraction/clusters/street_buckets
    """,
    "tests/strategies/abstraction/test_clustered_buckets.py": """
        strategies/abstraction/card_tables strategies/abstraction/cards strategies/abstraction/clustered_tables
        strategies/abstraction/clusters/street_fitting strategies/abstraction/holdem_buckets
        strategies/workers/thread_parts
    """,
    "tests/strategies/abstraction/test_expected_strength.py": "strategies/abstraction/flop_sweep_kernels",
    "tests/strategies/abstraction/test_hand_groups.py": "strategies/abstraction/hand_group_kernels",
    "tests/strategies/abstraction/test_strength_buckets.py": """
        strategies/abstraction/card_table_kernels strategies/abstraction/strength_tables
    """,
    "tests/strategies/blueprint/test_difference.py": "strategies/blueprint/look",
    "tests/strategies/blueprint/test_forged_strategies.py": "strategies/storage/safetensors",
    "tests/strategies/blueprint/test_strategy_file.py": """
        strategies/blueprint/quantise strategies/blueprint/row_kernels strategies/storage/verified
    """,
    "tests/strategies/cards/test_equity.py": "strategies/cards/deck_kernels",
    "tests/strategies/draw/first_round/test_depth_limited.py": """
        strategies/draw/first_round/draw_kernels strategies/draw/first_round/hand_draws
        strategies/solving/rounds/round_kernels
    """,
    "tests/strategies/draw/playing/test_draw_codes.py": "strategies/draw/playing/hand_orders",
    "tests/strategies/draw/playing/test_solve_round.py": "strategies/draw/playing/second_round",
    "tests/strategies/draw/test_card_removal.py": "strategies/draw/set_kernels",
    "tests/strategies/draw/test_hands.py": "strategies/draw/hand_kernels",
    "tests/strategies/engine/test_match_engine.py": """
        strategies/engine/dealt_buckets strategies/engine/joint_betting strategies/engine/match_kernels
    """,
    "tests/strategies/expert/test_style_xml.py": "strategies/expert/style",
    "tests/strategies/exploiting/test_bet_ahead.py": "strategies/exploiting/followed_range",
    "tests/strategies/icm/test_equities.py": """
        strategies/icm/direct_recursion strategies/icm/finishing_set_kernels
    """,
    "tests/strategies/imitation/test_learning.py": """
        strategies/imitation/model strategies/imitation/model_file
    """,
    "tests/strategies/measures/agreement/test_agreement.py": """
        strategies/measures/agreement/frequencies strategies/measures/agreement/predictions
        strategies/measures/agreement/recorded
    """,
    "tests/strategies/measures/duels/test_duel.py": "strategies/measures/duels/joint_kernels",
    "tests/strategies/measures/duels/test_gain.py": "bot/commands/gain",
    "tests/strategies/measures/duels/test_kuhn3p_family.py": "bot/commands/strategy_kuhn3p",
    "tests/strategies/measures/duels/test_line_play.py": "strategies/measures/duels/chances",
    "tests/strategies/measures/duels/test_simulation.py": "strategies/solving/sampled/sampled_tree",
    "tests/strategies/measures/luck/test_aivat.py": "strategies/measures/luck/value_function",
    "tests/strategies/measures/luck/test_range_values.py": "strategies/measures/luck/choose_values",
    "tests/strategies/measures/luck/test_runouts.py": "strategies/measures/luck/runout_kernels",
    "tests/strategies/measures/luck/test_self_play_values.py": """
        strategies/measures/luck/flop_model strategies/measures/luck/self_play
        strategies/measures/luck/self_play_kernels
    """,
    "tests/strategies/measures/responses/test_last_street.py": """
        strategies/measures/responses/board_samples strategies/measures/responses/tree_streets
    """,
    "tests/strategies/players/test_blueprint.py": "strategies/blueprint/blueprint_hand",
    "tests/strategies/players/test_depths.py": "strategies/blueprint/seat",
    "tests/strategies/players/test_draw.py": "strategies/draw/playing/draw_game",
    "tests/strategies/players/test_expert.py": "strategies/expert/plan",
    "tests/strategies/players/test_exploiter.py": "strategies/exploiting/frequencies",
    "tests/strategies/players/test_formula.py": "strategies/players/formula_strength",
    "tests/strategies/players/test_lbr.py": "strategies/raises",
    "tests/strategies/players/test_players_rows.py": "strategies/registry",
    "tests/strategies/players/test_pushfold.py": "strategies/pushfold/solved_spots",
    "tests/strategies/players/test_resolve_adversaries.py": "strategies/players/resolve",
    "tests/strategies/players/test_solved.py": "strategies/solutions/match_spot",
    "tests/strategies/pushfold/test_evaluation.py": """
        strategies/pushfold/deal_tables strategies/pushfold/profile strategies/pushfold/spot
    """,
    "tests/strategies/pushfold/test_hand_values.py": "strategies/pushfold/answer",
    "tests/strategies/pushfold/test_solvers.py": """
        strategies/pushfold/fictitious_play strategies/pushfold/linear_program strategies/pushfold/regret_matching
        strategies/pushfold/response strategies/pushfold/solve
    """,
    "tests/strategies/resolving/test_resolve_hand.py": "strategies/resolving/real_bets",
    "tests/strategies/solutions/test_solution_answer.py": """
        bot/commands/drawing strategies/solutions/answer strategies/solutions/pictures
        strategies/solutions/solution_json strategies/solutions/spot_size
    """,
    "tests/strategies/solutions/test_solve_batch.py": "strategies/solutions/batch",
    "tests/strategies/solutions/test_solve_run.py": """
        strategies/solutions/run strategies/solutions/saved_solve strategies/solving/vector/node_values
        strategies/trees/locks
    """,
    "tests/strategies/solutions/test_spot.py": "strategies/trees/action_names",
    "tests/strategies/solving/public/test_public_sampling.py": """
        strategies/cards/public_boards strategies/solving/public/public_sampling_layout
        strategies/solving/public/public_sampling_street_kernels
        strategies/solving/public/public_sampling_terminal_kernels strategies/solving/public/seen_board_kernels
        strategies/solving/public/seen_boards
    """,
    "tests/strategies/solving/rounds/test_round_solver.py": "strategies/solving/rounds/showdowns",
    "tests/strategies/solving/sampled/test_mccfr.py": "strategies/solving/prefetch_kernels",
    "tests/strategies/solving/sampled/test_trainers.py": "strategies/training/solvers",
    "tests/strategies/solving/tabular/test_tabular.py": "strategies/solving/tabular/dealt_tree",
    "tests/strategies/solving/test_lanes.py": "strategies/solving/vector/table_kernels",
    "tests/strategies/solving/vector/test_vector_kernels.py": """
        strategies/solving/vector/decision_kernels strategies/solving/vector/kujath_kernels
        strategies/solving/vector/pass_arrays strategies/solving/vector/terminal_kernels
    """,
    "tests/strategies/solving/vector/test_vector_solver.py": """
        strategies/solving/vector/passes strategies/solving/vector/solver_tables
    """,
    "tests/strategies/storage/test_folders.py": "strategies/storage/table_folder",
    "tests/strategies/test_sampling.py": """
        strategies/agent strategies/strategy
    """,
    "tests/strategies/training/rivers/test_joint_ranges.py": "strategies/training/rivers/joint_range_kernels",
    "tests/strategies/training/test_cluster.py": """
        strategies/training/cluster_shares strategies/training/cluster_worker
    """,
    "tests/strategies/training/test_draw_training.py": """
        strategies/training/draw_card strategies/training/draw_config strategies/training/draw_network
        strategies/training/stored_rounds
    """,
    "tests/strategies/training/test_kill.py": "strategies/training/checkpoint",
    "tests/strategies/training/test_training.py": """
        bot/commands/train strategies/training/run
    """,
    "tests/strategies/training/test_training_curve.py": """
        strategies/blueprint/training_curve strategies/training/measuring
    """,
    "tests/strategies/trees/test_betting_tree.py": "strategies/trees/betting",
    "tests/strategies/trees/test_streets.py": "strategies/trees/starts",
    "tests/strategies/value_network/test_examples.py": """
        strategies/value_network/range_draws strategies/value_network/round_examples
    """,
    "tests/test_documents.py": "bot/commands/options",
}
"""Modules by the file that tests them, as paths without ending, separated by spaces."""
