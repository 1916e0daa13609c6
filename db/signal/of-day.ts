import { exchangeMidnightSql } from '../engine/day-starts.ts'

const COUNTED = {
  executed: `s.status = 'executed'`,
  // The status is for the index.
  refused: `s.status in ('rejected', 'error') and is_refused(s)`,
}

/** SQL count in accounts `mine`; `user`, `day`: expressions. */
export const signalsOnDaySql = (outcome: keyof typeof COUNTED, user: string, day: string): string =>
  `(select count(*)::int from signals s where s.user_id = ${user} and s.ask is null and s.origin <> 'adopted' and ${COUNTED[outcome]}
     and s.accepted_at >= ${exchangeMidnightSql(day)} and s.accepted_at < ${exchangeMidnightSql(`${day} + 1`)}
     and s.account_id in (select id from mine))`
