/** A group of signals, and the accounts of what belongs to it. */
export interface StoredGroup {
  id: string
  /** Whose name it is; the token that gave it stands in the name. */
  sender: string
  /** Null where each message is one of its own, and for a name that is good for a while. */
  identity: string | null
  /** How many accounts it asked for. */
  accounts: number
  /** Of its refusals. */
  refused: string[]
  /** Of its signals, but for those that go on with a target to its other side. */
  signalled: string[]
}

/** Reads them. */
export const STORED_GROUPS = `
  select g.id, g.user_id as sender, r.name as identity, g.accounts,
    array(select refusal ->> 'accountId' from jsonb_array_elements(g.refusals) refusal) as refused,
    array(select s.account_id::text from signals s where s.group_id = g.id and s.continues is null) as signalled
  from signal_groups g left join requests r on r.id = g.id and r.seconds is null`

/** What must hold of groups: each has a signal or a refusal for each of its accounts and no two, and no two groups have one name. */
export function* groupFaults(groups: readonly StoredGroup[]): Generator<string> {
  for (const { id, accounts, refused, signalled } of groups) {
    const told = [...refused, ...signalled]
    if (new Set(told).size !== told.length) yield `group ${id} has an account twice: ${told.join(', ')}`
    if (new Set(told).size !== accounts)
      yield `group ${id} asked for ${accounts} accounts and has ${signalled.length} signals and ${refused.length} refusals`
    if (signalled.length === 0) yield `group ${id} has no signal`
  }
  const named = groups.filter(({ identity }) => identity !== null)
  for (const [name, ones] of Map.groupBy(named, ({ sender, identity }) => `${sender} ${identity}`))
    if (ones.length > 1) yield `the name ${name} has ${ones.length} groups`
}
