-- changesSince sends (written by npm run docs):

with
  reading as (
    select
      $1::xid8 as since,
      $2::xid8 as kept,
      pg_current_snapshot() as snapshot,
      pg_snapshot_xmax(pg_current_snapshot()) as next
  )
select
  snapshot::text,
  pg_snapshot_xmin(snapshot)::text as position,
  since > next
  or exists (
    select
    from
      live_events_removed
    where
      up_to >= kept
      and up_to < next
  ) as removed,
  coalesce(
    (
      select
        jsonb_agg(
          jsonb_build_object('userId', user_id, 'accountId', account_id, 'topic', topic, 'subjectId', subject_id, 'at', at)
          order by
            place
        )
      from
        (
          select
            user_id,
            account_id,
            topic,
            subject_id,
            max(at) as at,
            max(id) as place
          from
            live_events
          where
            xact >= since
            and xact < next
            and user_id = $3
          group by
            user_id,
            account_id,
            topic,
            subject_id
          limit
            $4::int4
        ) changed
    ),
    '[]'
  ) as changes
from
  reading;
