import assert from 'node:assert/strict'
import type { Part } from '#test/support/part.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { buyNow, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

describe('an action that is due and cannot be done', function () {
  this.timeout(180_000)
  const service = useStack()

  const cases: [name: string, part: 'worker' | 'temporal', cause: RegExp][] = [
    ['every worker is gone', 'worker', /no worker runs/],
    ['Temporal is gone', 'temporal', /Temporal cannot be reached/],
  ]
  for (const [name, partName, cause] of cases)
    it(`an action that is due and cannot be done because ${name}: an alert names that within 30 s of its instant, and ends when it is done`, async () => {
      const { stack } = service
      const part: Part = stack.parts[partName]
      const symbol = `ZTDUE${partName.slice(0, 4).toUpperCase()}`
      const due = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 10_000)
      const { status, body } = await stack.api.post(
        '/signals',
        buyNow(stack, {
          symbol,
          executeMode: 'scheduled',
          scheduledProcessAt: due.toISOString().slice(0, 19),
          timezone: 'UTC',
        }),
      )
      assert.equal(status, 202, JSON.stringify(body))
      const { id } = body.signal
      await eventually(async () =>
        assert.ok(
          (await stack.query(`select from signal_events where signal_id = '${id}' and kind = 'waiting'`))
            .length,
        ),
      )
      await part.kill()
      const open = async (): Promise<{ kind: string; message: string }[]> =>
        (await stack.api.get(`/alerts?signalId=${id}`)).body.data.alerts
      const within = due.getTime() + 30_000 - Date.now()
      await eventually(
        async () => {
          const [alert] = await open()
          assert.equal(alert?.kind, 'action_overdue')
          assert.match(alert.message, cause)
        },
        { within, every: 250 },
      )
      const readiness = await fetch(`${stack.addresses.api}/readyz`)
      const { down, overdue } = (await readiness.json()) as { down: string[]; overdue: number }
      assert.equal(readiness.status, 503)
      assert.ok(down.includes('overdue') && overdue >= 1, JSON.stringify({ down, overdue }))

      await part.start()
      await eventually(async () => assert.equal((await shown(stack, id)).status, 'executed'), {
        within: 60_000,
      })
      await eventually(async () => assert.deepEqual(await open(), []), { within: 10_000 })
      assert.equal(ordersAtVenue(await stack.venue.ledger(), id).length, 1)
      await stack.untilReady()
    })
})
