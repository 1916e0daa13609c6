/** SQL: the order `o` of ours that closed trade `t`, and its signal `s`. */
export const CLOSING_ORDER = `left join orders o on o.id = t.exit_order_ids[1] left join signals s on s.id = o.signal_id`

/** SQL with {@link CLOSING_ORDER}. An exit that took shares of another signal counts as 'signal'. */
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

/** SQL: the decision on the size of exit `o` of signal `s`. */
const EXIT_DECISION = `s.decisions -> ('exit-' || substring(o.client_order_id from '[0-9]+$'))`

/** The price noted with the size of an exit is that of its submission if the broker had the order by then. */
const SENT_WITHIN = `interval '5 seconds'`

/** SQL with {@link CLOSING_ORDER}, dollars a share. Null for limits, which fill at their price, and auctions. */
const REFERENCE = `case
    when o.order_type in ('stop', 'stopLimit') then case when not exists (
      select from order_broker_ids b where b.order_id = o.id and b.broker_order_id <> o.broker_order_id) then o.stop_price end
    when o.order_type = 'market' and o.role = 'exit' and o.time_in_force not in ('opg', 'cls')
        and o.acknowledged_at < (${EXIT_DECISION} ->> 'sizedAt')::timestamptz + ${SENT_WITHIN}
      then (${EXIT_DECISION} ->> 'price')::numeric end`

/** Dollars by which trade `t` closed worse than {@link REFERENCE}; below 0: better. */
export const EXIT_SLIPPAGE = `(${REFERENCE} - t.exit_price) * t.quantity * case t.side when 'LONG' then 1 else -1 end`
