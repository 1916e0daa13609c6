import { exchangeMidnightSql } from '../engine/day-starts.ts'

/** The ways in which the signals of a day are counted; the others wait, were withdrawn, or expired. */
const STATUSES = { executed: `('executed')`, refused: `('rejected', 'error')` }

/**
 * SQL expression: how many signals of a user were accepted on a day of the exchange, and were executed or refused since, in
 * the accounts that the statement names `mine`.
 *
 * @param user expression of the user's id
 * @param day expression of the day
 */
export const signalsOnDaySql = (outcome: keyof typeof STATUSES, user: string, day: string): string =>
  `(select count(*)::int from signals where user_id = ${user} and status in ${STATUSES[outcome]}
     and accepted_at >= ${exchangeMidnightSql(day)} and accepted_at < ${exchangeMidnightSql(`${day} + 1`)}
     and account_id in (select id from mine))`
