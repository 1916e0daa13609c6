/** The code of the advisory of a request that repeats one without sourceId, which the token's owner takes for one signal. */
export const REPEATED_BODY = 'repeated_body'
/** The code of the advisory of a decision that was handed on and that nothing has confirmed: it may still be taken. */
export const DECISION_UNCONFIRMED = 'decision_unconfirmed'
/** The code of the advisory of an entry whose exit will meet resting orders of ours on the other side. */
export const EXIT_MEETS_OWN_ORDER = 'exit_meets_own_order'
/** The code of the advisory of an entry that a person has to approve by a rule of its owner. */
export const HELD_FOR_APPROVAL = 'held_for_approval'
/** The code of the advisory of a close that leaves shares to orders which were not placed here. */
export const POSITION_HELD = 'position_held'
/** The code of the advisory of an order that its broker has otherwise than it was sent. */
export const ORDER_CHANGED_BY_BROKER = 'order_changed_by_broker'
/** The code of the advisory of an order that was sent before the decision on it, which is lost, and is taken up as it is. */
export const SENT_BEFORE = 'sent_before'
/** The code of the advisory of an order that was sized by bid or ask, because the last price cannot be right. */
export const PRICE_FROM_QUOTE = 'price_from_quote'
/** The code of the advisory of an order that was sized by an equity which was doubted shortly before. */
export const EQUITY_MOVED = 'equity_moved'
/** The code of the advisory of an entry that is paid with cash which may not have settled by its exit, in an account without margin. */
export const UNSETTLED_CASH = 'unsettled_cash'
/** The code of the advisory of an order that waits at its broker for the next session. */
export const WAITS_FOR_SESSION = 'waits_for_session'
