/** A request without sourceId that repeats an earlier one; the token's owner has it treated as one signal. */
export const REPEATED_BODY = 'repeated_body'
/** A decision that was passed on and not confirmed: it may still take effect. */
export const DECISION_UNCONFIRMED = 'decision_unconfirmed'
export const EXIT_MEETS_OWN_ORDER = 'exit_meets_own_order'
export const HELD_FOR_APPROVAL = 'held_for_approval'
/** A close that leaves shares to orders placed elsewhere. */
export const POSITION_HELD = 'position_held'
export const ORDER_CHANGED_BY_BROKER = 'order_changed_by_broker'
export const SENT_BEFORE = 'sent_before'
export const PRICE_FROM_QUOTE = 'price_from_quote'
export const EQUITY_MOVED = 'equity_moved'
/** Cash that may not have settled by the exit, in an account without margin. */
export const UNSETTLED_CASH = 'unsettled_cash'
export const WAITS_FOR_SESSION = 'waits_for_session'
