import { exchangeMidnightSql } from '../engine/day-starts.ts'

/** The ways in which the signals of a day are counted; the others wait, were withdrawn or declined by a person, or expired. */
const COUNTED = {
  executed: `s.status = 'executed'`,
  // The index finds them by their status.
  refused: `s.status in ('rejected', 'error') and is_refused(s)`,
}

/**
 * SQL expression: how many signals of a user were accepted on a day of the exchange, and were executed or refused since, in
 * the accounts that the statement names `mine`.
 *
 * @param user expression of the user's id
 * @param day expression of the day
 */
export const signalsOnDaySql = (outcome: keyof typeof COUNTED, user: string, day: string): string =>
  `(select count(*)::int from signals s where s.user_id = ${user} and ${COUNTED[outcome]}
     and s.accepted_at >= ${exchangeMidnightSql(day)} and s.accepted_at < ${exchangeMidnightSql(`${day} + 1`)}
     and s.account_id in (select id from mine))`
