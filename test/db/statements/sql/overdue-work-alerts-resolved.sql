-- resolveDoneWork sends (written by npm run docs):

update alerts
set
  good_since = coalesce(good_since, now()),
  resolved_at = case
    when (
      not (
        kind in (
          'account_sync_overdue',
          'feed_overdue',
          'comparison_failing',
          'position_differs',
          'credentials',
          'trading_blocked',
          'clock_differs',
          'stream_refused',
          'protection_blind'
        )
      )
      or coalesce(good_since, now()) <= now() - $1::int4 * interval '1 millisecond'
    ) then now()
  end
where
  kind in ('action_overdue', 'account_sync_overdue', 'snapshot_overdue', 'feed_overdue')
  and resolved_at is null
  and (
    good_since is null
    or (
      not (
        kind in (
          'account_sync_overdue',
          'feed_overdue',
          'comparison_failing',
          'position_differs',
          'credentials',
          'trading_blocked',
          'clock_differs',
          'stream_refused',
          'protection_blind'
        )
      )
      or coalesce(good_since, now()) <= now() - $2::int4 * interval '1 millisecond'
    )
  )
  and not exists (
    select
    from
      due_work w
    where
      w.kind = alerts.kind
      and due_at < now() - interval '15 seconds'
      and coalesce(w.signal_id, w.order_id, w.account_id) = coalesce(alerts.signal_id, alerts.order_id, alerts.account_id)
  )
returning
  resolved_at is not null as "isOver";
