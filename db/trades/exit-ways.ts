export const EXIT_WAYS = ['time', 'limit', 'stop', 'stopLimit', 'person', 'signal', 'elsewhere'] as const
/**
 * How a closed trade has ended. time: by its signal's exit, which sells at any price, in the closing auction too. limit, stop,
 * stopLimit: by its exit at the price that the signal, or its exit plan, asked for. person: by an order placed here by hand. signal: by another signal.
 * elsewhere: by no order that was placed here.
 */
export type ExitWay = (typeof EXIT_WAYS)[number]

/** The order `o` of ours that has closed a trade `t`, and the signal `s` that asked for it. */
export const CLOSING_ORDER = `left join orders o on o.id = t.exit_order_ids[1] left join signals s on s.id = o.signal_id`

/** The {@link ExitWay} of a trade `t`, with {@link CLOSING_ORDER}. An exit that has taken shares of another signal is another's. */
export const EXIT_WAY = `case
    when o.id is null then 'elsewhere'
    when o.role = 'manual' then 'person'
    when o.role <> 'exit' or o.signal_id is distinct from t.signal_id then 'signal'
    when o.client_order_id ~ '-t[0-9]+$' then 'limit'
    when o.client_order_id ~ '-p[0-9]+$' then case
      when o.order_type in ('limit', 'stopLimit') then o.order_type
      when o.order_type = 'oco' and (t.exit_price - o.limit_price) * case t.side when 'LONG' then 1 else -1 end >= 0 then 'limit'
      else 'stop' end
    when s.exit_rule is null then 'stop'
    when s.exit_rule ->> 'orderType' in ('limit', 'stop', 'stopLimit') then s.exit_rule ->> 'orderType'
    else 'time' end`

/** The decision on the size of an exit order `o` of a signal `s`. */
const EXIT_DECISION = `s.decisions -> ('exit-' || substring(o.client_order_id from '[0-9]+$'))`

/** The price that was noted with the size of an exit is that of its submission when the broker had the order within this time. */
const SENT_WITHIN = `interval '5 seconds'`

/**
 * The price in dollars with which the fills of the order that closed a trade are compared, with {@link CLOSING_ORDER}; null where the
 * ledger has none. Of a stop it is the stop, unless the order was changed at the broker; of an exit at market the price
 * that the broker showed as it was sent. A limit fills at its price or better, and an auction has its price when it is held.
 */
const REFERENCE = `case
    when o.order_type in ('stop', 'stopLimit') then case when not exists (
      select from order_broker_ids b where b.order_id = o.id and b.broker_order_id <> o.broker_order_id) then o.stop_price end
    when o.order_type = 'market' and o.role = 'exit' and o.time_in_force not in ('opg', 'cls')
        and o.acknowledged_at < (${EXIT_DECISION} ->> 'sizedAt')::timestamptz + ${SENT_WITHIN}
      then (${EXIT_DECISION} ->> 'price')::numeric end`

/** Dollars by which a trade `t` was closed worse than at {@link REFERENCE}; below 0 where better. */
export const EXIT_SLIPPAGE = `(${REFERENCE} - t.exit_price) * t.quantity * case t.side when 'LONG' then 1 else -1 end`
