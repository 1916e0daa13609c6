import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { announceKey, KEY_FILE_READ_EVERY, takeKeyIntoUse } from '#config/key-ring.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { Intruder, plain } from '#test/support/intruder.ts'
import { copyLedger, markedUpTo, restoreLedger } from '#test/support/ledger-copy.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { connectTemporal } from '#test/support/temporal-client.ts'
import { orderChanged } from '#workflows/order/contract.ts'
import { retryExit } from '#workflows/signal/contract.ts'
import { buyNow, heldAtVenue, ordersAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'
import { PlayedPage, stopwatch, tell } from './played-page.ts'

/** After so many milliseconds every process has read a changed key file. */
const KEYS_READ = 3 * KEY_FILE_READ_EVERY
/** Not before the ledger is set back. */
const LATER = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 3 }
const IN_AN_HOUR = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 }

describe('the runbooks about Temporal and the ledger in other hands, played through', function () {
  this.timeout(480_000)
  const service = useStack({}, { holdsTimelines: false })

  const { sent } = senderOn(service)
  const approve = async (id: string): Promise<void> => {
    const { status, body } = await (await service.stack.signIn()).post(`/signals/${id}/process`, {})
    assert.ok(status === 200 || status === 202, JSON.stringify(body))
  }

  describe('a message that the service did not make', () => {
    const page = new PlayedPage('untrusted-message', () => service.stack)

    it('a message that the service did not make is reported within a second of its arrival, changes nothing, and is acknowledged', async () => {
      const { stack } = service
      const id = await sent({ symbol: 'ZTINTRUDED', executeMode: 'pending' })
      const intruder = await Intruder.at(stack.addresses.temporal)
      const since = stopwatch()
      await intruder.signal(workflowIdFor(id), orderChanged.name, [plain({})])
      const alert = await page.raised({}, id)
      tell(`untrusted-message: alert ${since()} s after the message`)
      await intruder.close()
      await page.metricShows(1)
      const [[row] = []] = await page.statements()
      assert.equal(row?.['signal_id'], id)
      assert.match(stack.parts.worker.logTail(100_000), /an untrusted message came through Temporal/)
      assert.equal((await shown(stack, id)).status, 'pending')
      await page.acknowledge(alert)
      await page.metricShows(0)
    })

    it('a message that the service did not make for lack of a key: once that is back and the workers are started again, the signal is approved', async () => {
      const { stack } = service
      const older = readFileSync(stack.keyFile, 'utf8')
      await takeKeyIntoUse(stack.keyFile, await announceKey(stack.keyFile))
      const whole = readFileSync(stack.keyFile, 'utf8')
      await sleep(KEYS_READ)
      const id = await sent({ symbol: 'ZTKEYLESS', executeMode: 'pending' })
      const client = await connectTemporal(stack.addresses.temporal, stack.keyFile)
      writeFileSync(stack.keyFile, older)
      await sleep(KEYS_READ)
      await client.workflow.getHandle(workflowIdFor(id)).signal(retryExit)
      const alert = await page.raised({}, id)
      tell(`untrusted-message, for lack of a key: ${alert.message}`)
      await client.connection.close()
      writeFileSync(stack.keyFile, whole)
      await sleep(KEYS_READ)
      const since = stopwatch()
      await stack.parts.worker.restart()
      await approve(id)
      await eventually(async () => assert.equal((await shown(stack, id)).status, 'executed'))
      tell(`untrusted-message, for lack of a key: approved and executed ${since()} s after the restart began`)
      await page.acknowledge(alert)
    })
  })

  describe('a ledger that was rolled back', () => {
    const page = new PlayedPage('set-back', () => service.stack)

    it('a ledger that was rolled back is looked through, let go, mended by hand and acknowledged, and every share has its exit or is sold', async () => {
      const { stack } = service
      const undone = await sent({ symbol: 'ZTUNDONE', executeMode: 'pending', ...LATER })
      await eventually(async () => assert.ok((await markedUpTo(stack)) >= 1), { within: 60_000 })
      await copyLedger(stack)
      const copied = await markedUpTo(stack)
      await approve(undone)
      const gone = await sent({ symbol: 'ZTGONE', ...IN_AN_HOUR })
      await eventually(async () => assert.equal((await shown(stack, gone)).exit.status, 'scheduled'))
      await eventually(async () => assert.ok((await markedUpTo(stack)) > copied), { within: 90_000 })

      const since = stopwatch()
      await restoreLedger(stack)
      const works = since()
      const alert = await page.raised({ within: 120_000 })
      tell(`set-back: everything works ${works} s after the stop, alert after ${since()} s`)
      await page.metricShows(1)
      const [[row] = []] = await page.statements()
      assert.equal(row?.['message'], alert.message)
      const left = (output: string): void => {
        assert.ok(output.includes(`${workflowIdFor(gone)} runs in Temporal, and the ledger does not know it`))
        assert.match(output, /it has bought 10 ZTGONE more than it has sold, and no exit is placed for them/)
        assert.match(output, /2 differences: 0 mended, 2 left/)
      }
      const mended = `mended: signal ${undone} waits by the ledger, and its order is at the broker`
      assert.ok(alert.message.includes(mended), alert.message)
      left((await page.admin('reconcile --wait 0')).output)
      const halts = await page.admin('halts')
      assert.match(halts.output, /^reduceOnly {2}everybody .* Check what was decided since/)
      const refused = await stack.api.post('/signals', buyNow(stack, { symbol: 'HALTED' }))
      assert.equal(refused.body.code, 'REDUCE_ONLY', JSON.stringify(refused.body))
      const resumed = await page.admin('resume')
      assert.equal(resumed.code, 0, resumed.output)
      left((await page.admin('reconcile(?! --wait)')).output)

      await eventually(async () => assert.equal((await shown(stack, undone)).exit.status, 'filled'), {
        within: 200_000,
      })
      const ledger = await stack.venue.ledger()
      for (const role of ['entry', 'exit'] as const)
        assert.equal(ordersAtVenue(ledger, undone, role).length, 1, role)
      const client = await stack.temporal()
      await client.workflow.getHandle(workflowIdFor(gone)).terminate('its signal is gone from the ledger')
      const { status, body } = await stack.api.post(`/positions/${stack.accountId}/ZTGONE/close`, {})
      assert.ok(status < 300, JSON.stringify(body))
      for (const symbol of ['ZTUNDONE', 'ZTGONE'])
        await eventually(async () => assert.equal(await heldAtVenue(stack, symbol), '0'))
      await page.acknowledge(alert)
      tell(`set-back: all of it took ${since()} s`)
      await page.metricShows(0)
    })
  })
})
