-- resolveDoneWork sends (written by npm run docs):

update alerts
set
  resolved_at = now()
where
  kind in ('action_overdue', 'account_sync_overdue', 'snapshot_overdue', 'feed_overdue')
  and resolved_at is null
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
  id;
