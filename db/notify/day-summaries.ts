import type { SnapshotWindow } from '#domain/account/balance-snapshot.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { exchangeMidnightSql } from '../engine/day-starts.ts'
import type { EntityManager } from '../engine/database.ts'
import { signalsOnDaySql } from '../signal/of-day.ts'
import { exitIsAheadSql } from '../signal/story.ts'
import { dayLetterSql, MINE, needsPersonSql, type DayLetter } from './day-letter.ts'

export interface NotifiedDay {
  id: string
  executed: number
  refused: number
  /** Dollars after fees of the day's closed trades. */
  realised: Decimal
  positions: number
  exitsAhead: number
  letter: DayLetter
}

/** No summary is written again by then. */
const SUMMARY_KEPT_DAYS = 14

/** Once a day for users who chose it, unless it is without signals, trades and positions. Returns the number. */
export async function writeDaySummaries(
  em: EntityManager,
  { date, until }: Pick<SnapshotWindow, 'date' | 'until'>,
): Promise<number> {
  const [from, to] = [exchangeMidnightSql('day'), exchangeMidnightSql('day + 1')]
  const rows = await em.execute<unknown[]>(
    `insert into day_summaries (user_id, day, figures, notify_until)
     select u.id, day, jsonb_build_object('executed', f.executed, 'refused', f.refused,
       'realised', trim_scale(f.realised)::text, 'positions', f.positions, 'exitsAhead', f."exitsAhead",
       'letter', ${dayLetterSql('this.day')}), ?
     from (select ?::date as day) this, notification_choices c
     join users u on u.id = c.user_id and u.disabled_at is null
     cross join lateral (
       with ${MINE}
       select ${signalsOnDaySql('executed', 'u.id', 'day')} as executed,
         ${signalsOnDaySql('refused', 'u.id', 'day')} as refused,
         (select count(*)::int from positions where account_id in (select id from mine)) as positions,
         (select count(*)::int from signals s where s.account_id in (select id from mine)
            and ${exitIsAheadSql('s')}) as "exitsAhead",
         ${needsPersonSql('day')} as "needsPerson",
         t.closed, t.realised
       from (
         select count(*) as closed, coalesce(sum(realised_pnl), 0) as realised from trades
         where account_id in (select id from mine) and exit_at >= ${from} and exit_at < ${to}) t
     ) f
     where c.day_summary and exists (select from channels p where p.user_id = u.id and 'letter' = any (p.urgencies))
       and not exists (select from day_summaries d where d.user_id = u.id and d.day = this.day)
       and (f.executed + f.refused + f.closed + f.positions > 0 or f."needsPerson")
     on conflict do nothing returning user_id`,
    [until, date],
  )
  return rows.length
}

export async function removeOldSummaries(em: EntityManager): Promise<void> {
  await em.execute(`delete from day_summaries where notify_until < now() - make_interval(days => ?)`, [
    SUMMARY_KEPT_DAYS,
  ])
}
