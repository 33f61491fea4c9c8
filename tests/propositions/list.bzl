"""All propositions: the order of README.md's table. proposition_test refuses those not in it."""

# Folder, its heading, and the names of its targets.
PROPOSITIONS = [
    ("head", "One head", [
        "rows_of_a_lie_in_the_simplex_test",
        "outputs_lie_in_the_convex_hull_of_the_values_test",
        "allowed_weights_are_strictly_positive_test",
        "a_is_lower_triangular_test",
        "perturbing_position_5_leaves_0_to_4_bitwise_identical_test",
        "gradient_of_output_3_vanishes_at_later_positions_test",
        "jacobian_is_block_lower_triangular_test",
        "raw_scores_have_standard_deviation_sqrt_dk_test",
        "softmax_saturates_without_the_scale_test",
        "softmax_jacobian_is_diag_p_minus_p_pt_test",
        "softmax_jacobian_vanishes_in_the_limit_test",
        "masking_after_the_softmax_is_not_stochastic_test",
        "masking_after_and_renormalising_is_right_up_to_rounding_test",
        "unmasked_head_is_equivariant_in_x_test",
        "equivariant_still_with_positions_inside_x_test",
        "equivariant_in_tokens_without_positions_test",
        "positions_break_equivariance_in_tokens_test",
        "causal_head_is_not_equivariant_test",
        "scores_have_rank_at_most_dk_test",
        "zero_queries_and_keys_give_the_running_mean_test",
        "positional_gaussian_scores_are_a_truncated_convolution_test",
    ]),
    ("multi_head", "Multi-head attention", [
        "causal_function_agrees_with_composite_and_fused_attention_test",
        "multi_head_layer_agrees_with_composite_and_fused_attention_test",
        "unmasked_layers_leak_test",
        "causal_layers_leak_exactly_nothing_test",
        "number_of_heads_does_not_change_the_count_test",
        "count_is_3_din_dout_plus_dout_squared_plus_dout_test",
        "every_intermediate_has_its_shape_test",
        "score_memory_grows_with_t_squared_test",
        "fused_attention_memory_grows_linearly_with_t_test",
    ]),
    ("gpt", "The assembled GPT", [
        "course_gpt_has_816640_parameters_test",
        "formula_counts_the_parameters_test",
        "mlps_hold_two_thirds_of_the_matrices_test",
        "later_tokens_do_not_change_logits_test",
        "gradient_reaches_no_later_position_test",
        "all_but_attention_is_position_wise_test",
        "initial_loss_is_near_log_vocabulary_test",
        "gpt2_initialisation_adds_half_the_variance_test",
        "every_parameter_receives_a_gradient_test",
        "one_batch_is_memorised_test",
        "stream_keeps_its_shape_test",
        "block_jacobian_is_identity_plus_test",
        "generation_sees_the_last_context_test",
    ]),
    ("layer_norm", "LayerNorm", [
        "output_is_orthogonal_to_ones_test",
        "output_lies_on_the_sphere_test",
        "scale_does_not_matter_test",
        "eps_shortens_vectors_of_small_variance_test",
        "image_has_two_dimensions_less_test",
    ]),
    ("training", "Training and looking inside", [
        "random_tokens_cannot_be_predicted_test",
        "bigram_cannot_beat_its_counts_test",
        "cache_gives_the_same_logits_test",
        "stream_is_the_sum_of_its_writers_test",
        "logit_gradient_is_p_minus_onehot_test",
    ]),
]

def _labels(folder, names):
    return ["//tests/propositions/%s:%s" % (folder, name) for name in names]

def all_proposition_labels():
    """Lists every proposition.

    Returns:
      their labels, in the table's order.
    """
    return [label for folder, _, names in PROPOSITIONS for label in _labels(folder, names)]

def table_args():
    """Says what table.sh is to run.

    Returns:
      its arguments: before each folder's programs, its heading.
    """
    args = []
    for folder, heading, names in PROPOSITIONS:
        args.append("'--section=%s'" % heading)
        args.extend(["$(rootpath %s)" % label for label in _labels(folder, names)])
    return args
