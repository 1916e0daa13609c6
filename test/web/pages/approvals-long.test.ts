import assert from 'node:assert/strict'
import type { CDPSession } from 'playwright-core'
import { useApp } from '../browser.ts'
import { useSignals } from '../signals.ts'

describe('the page of approvals', function () {
  this.timeout(300_000)
  const app = useApp()
  const { waiting, row } = useSignals(app)

  it('the page of approvals holds no more listeners and nodes for fifty decided signals than for twenty-five', async () => {
    const page = await app.signIn()
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable')
    const person = await app.stack.signIn()
    const roundOf = async (count: number) => {
      const sent = []
      for (let at = 0; at < count; at++) sent.push(await waiting())
      await row(page, sent.at(-1)!.symbol).waitFor()
      for (const [at, { id, symbol }] of sent.entries()) {
        // Each has its card, which stays on the page.
        await row(page, symbol).click()
        await page.getByRole('article', { name: `Buy 10 ${symbol} at market` }).waitFor()
        const decision = at % 2 === 0 ? 'reject' : 'process'
        assert.equal((await person.post(`/signals/${id}/${decision}`, {})).status, 200)
        await row(page, symbol).waitFor({ state: 'detached' })
      }
      await app.forgetCounts()
    }
    await roundOf(25)
    const before = await counted(devtools)
    await roundOf(25)
    const after = await counted(devtools)
    assert.ok(after.listeners <= before.listeners + 40, JSON.stringify({ before, after }))
    assert.ok(after.nodes <= before.nodes + 150, JSON.stringify({ before, after }))
  })
})

/** After the garbage is gone, which is not counted. */
async function counted(devtools: CDPSession) {
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  const of = (name: string) => metrics.find((each) => each.name === name)!.value
  return { listeners: of('JSEventListeners'), nodes: of('Nodes') }
}
