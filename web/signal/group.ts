import type { Signal } from '#client/types.ts'

export interface GroupLine {
  success: boolean
  error?: string
}

const DONE = { approve: 'approved', decline: 'declined', stop: 'cancelled', exit: 'without an exit' } as const

/** Results for a group: "2 approved, 1 not: the market is closed". */
export function doneWords(what: keyof typeof DONE, lines: readonly GroupLine[]): string {
  const failed = lines.filter(({ success }) => !success)
  const good = `${lines.length - failed.length} ${DONE[what]}`
  return failed.length === 0 ? good : `${good}, ${failed.length} not: ${failed[0]?.error ?? 'try again'}`
}

/** Number of accounts of each group with several accounts among the signals. */
export function groupSizes(
  signals: readonly Pick<Signal, 'groupId' | 'accountId'>[],
): ReadonlyMap<string, number> {
  const accounts = new Map<string, Set<string>>()
  for (const { groupId, accountId } of signals) {
    if (groupId === null) continue
    const known = accounts.get(groupId) ?? new Set()
    accounts.set(groupId, known.add(accountId))
  }
  return new Map(Array.from(accounts, ([id, { size }]) => [id, size] as const).filter(([, size]) => size > 1))
}
