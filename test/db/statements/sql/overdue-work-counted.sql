-- countOverdue sends (written by npm run docs):

select
  (
    select
      count(*)::int
    from
      (
        select
        from
          due_work
        where
          due_at < now() - interval '15 seconds'
        limit
          1000
      ) o
  ) as total,
  (
    select
      count(*)::int
    from
      (
        select
        from
          due_work
        where
          kind = 'feed_overdue'
          and due_at < now() - interval '15 seconds'
        limit
          1000
      ) o
  ) as feeds,
  (
    select
      count(*)::int
    from
      alerts
    where
      kind in ('action_overdue', 'account_sync_overdue', 'snapshot_overdue', 'feed_overdue')
      and resolved_at is null
      and good_since is null
      and data ->> 'cause' in ($1, $2, $3, $4, $5, $6, $7)
  ) as ours;
