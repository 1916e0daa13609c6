/** A repeated request without sourceId, taken for one signal by the token owner's choice. */
export const REPEATED_BODY = 'repeated_body'
/** A decision that was passed on but not confirmed: it may take effect. */
export const DECISION_UNCONFIRMED = 'decision_unconfirmed'
export const EXIT_MEETS_OWN_ORDER = 'exit_meets_own_order'
export const HELD_FOR_APPROVAL = 'held_for_approval'
/** A close that leaves shares to foreign orders. */
export const POSITION_HELD = 'position_held'
export const ORDER_CHANGED_BY_BROKER = 'order_changed_by_broker'
export const SENT_BEFORE = 'sent_before'
export const PRICE_FROM_QUOTE = 'price_from_quote'
export const EQUITY_MOVED = 'equity_moved'
/** Cash that may not settle before the exit, without margin. */
export const UNSETTLED_CASH = 'unsettled_cash'
export const WAITS_FOR_SESSION = 'waits_for_session'
