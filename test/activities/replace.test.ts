import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ReplaceResult } from '#activities/contract.ts'
import { replaceSignal } from '#activities/signal/replace.ts'
import { BrokerOutcomeUnknown } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { orderIn, signalIn } from '#test/support/ledger.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { replacementBy } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'

const AT = '2026-03-02T15:00:02.000Z'

/** The cancel has failed; what the broker says of the order now decides. */
describe('a newer signal in the place of one whose order could not be cancelled', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let old: Signal
  let entry: OrderReport
  let newId: string
  beforeEach(async () => {
    old = await createSignal(em, { sourceId: 'source', orderType: 'limit', limitPrice: '95' })
    entry = orderReport(old)
    newId = randomUUID()
    await recordAccepted(em, entry)
  })

  /** @param look what the broker answers when it is asked after the order */
  async function replaced(look: () => Promise<OrderReport | null>): Promise<ReplaceResult> {
    const broker = Object.assign(new ScriptedBroker(), { getOrder: look })
    return replaceSignal(
      { em, brokerFor: async () => broker },
      {
        signalId: old.id,
        at: AT,
        detail: 'Replaced',
        acknowledges: null,
        working: { accountId: old.accountId, brokerOrderId: entry.brokerOrderId },
        replacement: {
          row: { ...(await signalIn(em, old.id)), id: newId, status: 'queued', statusReason: null },
          received: replacementBy('bob').replacement.received,
        },
      },
    )
  }
  const stored = async (): Promise<string[]> => {
    const signals = await em.execute<{ id: string; status: string }[]>(
      'select id, status from signals where account_id = ? order by sequence',
      [old.accountId],
    )
    return signals.map(({ id, status }) => `${id === old.id ? 'old' : 'new'} ${status}`)
  }

  it('a newer signal in the place of one whose order could not be cancelled is stored while the order still rests unfilled', async () => {
    assert.equal(await replaced(async () => entry), 'stopped')
    assert.deepEqual(await stored(), ['old cancelled', 'new queued'])
  })

  it('a newer signal in the place of one whose order could not be cancelled is stored when the broker cannot be asked, which is a cancel that failed', async () => {
    const unreachable = async () => {
      throw new BrokerOutcomeUnknown('no answer')
    }
    assert.equal(await replaced(unreachable), 'stopped')
    assert.deepEqual(await stored(), ['old cancelled', 'new queued'])
  })

  it('a newer signal in the place of one whose order could not be cancelled is not stored when the order has filled since, in part or in full, and the ledger knows the fill', async () => {
    const filled = withFill(entry, '4')
    assert.deepEqual(await replaced(async () => filled), { filled })
    assert.deepEqual(await stored(), ['old executed'])
    assert.equal(Number((await orderIn(em, entry.clientOrderId)).filledQuantity), 4)
  })

  it('stays stored when the record is repeated and the order has filled in between', async () => {
    await replaced(async () => entry)
    assert.equal(await replaced(async () => withFill(entry, '10')), 'stopped')
    assert.deepEqual(await stored(), ['old cancelled', 'new queued'])
  })
})
