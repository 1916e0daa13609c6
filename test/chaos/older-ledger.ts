import assert from 'node:assert/strict'
import { admin } from '#test/support/admin-command.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Evidence } from '#test/support/evidence.ts'
import { copyLedger, markedUpTo, restoreLedger } from '#test/support/ledger-copy.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Stack } from '#test/support/stack.ts'
import { WATCH_RESUMES_MS } from './killing.ts'

/** Signals that the restored ledger has never heard of. */
const LOST = 5
/** The ledger goes on to be marked every 30 s; the comparison takes a minute. */
const MARKED_WITHIN = { within: 90_000, every: 500 }
const COMPARED_WITHIN = { within: 180_000, every: 1_000 }

/** What a run has to know of a ledger that was restored. */
export interface SetBack {
  evidence: NonNullable<Evidence['setBack']>
  /** When nobody watched; UTC instants. */
  unwatched: { from: string; to: string }
}

/**
 * Copies the ledger, has the service go on until it can tell the copy from what came after, and puts the copy in its place.
 * When the owner has been told of what differs, trading is let go on as docs/back-up.md says. Meanwhile nobody asks the service
 * for anything but a few signals, of which the restored ledger knows nothing.
 */
export async function restoreOlderLedger(stack: Stack): Promise<SetBack> {
  const from = new Date().toISOString()
  // An installation that was never marked cannot be set back.
  await eventually(async () => assert.ok((await markedUpTo(stack)) > 0), MARKED_WITHIN)
  await copyLedger(stack)
  const copied = await markedUpTo(stack)
  const lost: string[] = []
  for (let number = 0; number < LOST; number += 1) lost.push(`${await sendInVain(stack, number)}-e1`)
  await eventually(async () => assert.ok((await markedUpTo(stack)) > copied), MARKED_WITHIN)
  await restoreLedger(stack)
  const alert = await eventually(async () => {
    const [found] = await stack.query<{ data: string }>(
      `select data::text as data from alerts where kind = 'set_back' and data ->> 'found' = 'ledger'`,
    )
    assert.ok(found, 'the owner is told that the ledger was set back')
    return found
  }, COMPARED_WITHIN)
  const { code, output } = await admin(stack, 'resume')
  assert.equal(code, 0, output)
  const to = new Date(Date.now() + WATCH_RESUMES_MS).toISOString()
  return { evidence: { lost, told: alert.data }, unwatched: { from, to } }
}

/** A signal that fills and stays; in a symbol of its own. Answers its id. */
async function sendInVain(stack: Stack, number: number): Promise<string> {
  const signal = {
    symbol: `ZTLOST${lettersOf(number)}`,
    action: 'openLong',
    quantity: 5,
    executeMode: 'immediate',
  }
  return eventually(
    async () => {
      const body = { ...signal, accountId: stack.accountId, sourceId: `lost-${number}` }
      const answer = await stack.api.post('/signals', body)
      assert.ok(answer.status < 300, JSON.stringify(answer.body))
      const { id, status } = answer.body.signal
      assert.equal(status, 'executed')
      return id as string
    },
    { within: 60_000, every: 1_000 },
  )
}
