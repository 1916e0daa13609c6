import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { accepted, heldAtVenue, shown } from '#test/service/sent-signal.ts'
import { PlayedPage, stopwatch, tell } from './played-page.ts'
import { changeRows, whileVenueStands } from './venue-file.ts'

describe('the runbooks about accounts, played through', function () {
  this.timeout(300_000)

  describe('on a service with its usual settings', () => {
    const service = useStack()
    const held = (symbol: string) => heldAtVenue(service.stack, symbol)

    describe('an account that cannot be compared with its broker', () => {
      const page = new PlayedPage('comparison-failing', () => service.stack)

      it('alerts while an order works there, and the alert ends once comparisons have succeeded for a minute', async () => {
        const { stack } = service
        await stack.venue.pin('ZTWORKS', 100)
        const resting = { symbol: 'ZTWORKS', orderType: 'limit', limitPrice: 60, timeInForce: 'gtc' }
        const id = await accepted(stack, resting)
        await eventually(async () => assert.equal((await shown(stack, id)).status, 'executed'))
        await stack.venue.script([{ on: 'any', mode: '500' }])
        const since = stopwatch()
        const alert = await page.raised({ within: 150_000 })
        tell(`comparison-failing with an order that works: alert ${since()} s after the first wrong answer`)
        await page.metricShows(1)
        const [[row] = [], [connection] = []] = await page.statements()
        assert.equal(row?.['account_id'], stack.accountId)
        assert.equal(connection?.['status'], 'error')
        await stack.venue.clearScript()
        const again = stopwatch()
        await page.over(alert, { within: 180_000 })
        tell(`comparison-failing: over ${again()} s after the broker answers again`)
        await page.metricShows(0)
      })
    })

    describe('a broker that shows another position', () => {
      const page = new PlayedPage('position-differs', () => service.stack)

      for (const [name, symbol, bought, shownAs] of [
        ['a transfer of shares', 'ZTMOVED', 10, 15],
        ['a split', 'ZTSPLIT', 10, 20],
      ] as const)
        it(`a broker that shows another position after ${name}: the alert ends once an operator accepts its figure, and the shares can be closed`, async () => {
          const { stack } = service
          await stack.venue.pin(symbol, 100)
          await accepted(stack, { symbol, quantity: bought })
          await eventually(async () => assert.equal(await held(symbol), String(bought)))
          // What is held before its executions were read to the end is taken for held before.
          await eventually(
            async () => {
              const known = `select from trades join fill_cursors using (account_id) where symbol = '${symbol}' and status = 'OPEN'`
              assert.equal((await stack.query(known)).length, 1)
            },
            { within: 60_000 },
          )
          await whileVenueStands(stack, (file) =>
            changeRows(file, (rows) =>
              rows
                .prepare(
                  `insert or replace into positions (accountId, symbol, qty, avgEntryPrice)
                   select id, ?, ?, '100' from accounts`,
                )
                .run(symbol, String(shownAs)),
            ),
          )
          const since = stopwatch()
          const alert = await page.raised({ within: 120_000 })
          tell(`position-differs (${name}): alert ${since()} s after the broker shows it`)
          await page.metricShows(1)
          const [[row] = []] = await page.statements()
          assert.match(
            String(row?.['message']),
            new RegExp(`${shownAs} ${symbol} where ${bought} were executed`),
          )
          const { code, output } = await page.admin('reconcile --wait 0')
          assert.equal(code, 1)
          assert.match(
            output,
            new RegExp(`holds ${shownAs} of ${symbol}; the executions add up to ${bought}`),
          )
          const accepting = await page.admin('position accept', {
            ACCOUNT: stack.accountId,
            SYMBOL: symbol,
            TEXT: name,
          })
          assert.equal(accepting.code, 0, accepting.output)
          const sinceAccepted = stopwatch()
          await page.over(alert, { within: 60_000 })
          tell(`position-differs (${name}): over ${sinceAccepted()} s after it was accepted`)
          const { status, body } = await stack.api.post(`/positions/${stack.accountId}/${symbol}/close`, {})
          assert.equal(status, 201, JSON.stringify(body))
          await eventually(async () => assert.equal(await held(symbol), '0'))
          const looked = await eventually(
            async () => {
              const found = await page.admin('reconcile --wait 0')
              assert.match(found.output, /say the same/)
              return found
            },
            { within: 60_000, every: 2_000 },
          )
          assert.equal(looked.code, 0, looked.output)
          await page.metricShows(0)
        })
    })
  })
})
