import assert from 'node:assert/strict'
import { useApp } from './browser.ts'
import { useSignals } from './signals.ts'

/** Texts that become scripts where a page believes them. */
const HOSTILE = [
  '<img src=x onerror="document.title=\'owned\'">',
  '<script>document.title="owned"</script>',
  'javascript:document.title="owned"',
  "\"><svg onload=document.title='owned'>",
  '{{constructor.constructor("document.title=1")()}}',
]

/** The one test of a browser that runs with all others; those of every page run apart. */
describe('an approval in a browser', function () {
  this.timeout(60_000)
  const app = useApp()
  const { waiting, recordOf, open } = useSignals(app)

  it('a signal with hostile texts is shown as it arrives, with its texts as texts, and bought by one press', async () => {
    const page = await app.signIn()
    const metadata = Object.fromEntries(HOSTILE.map((text, index) => [`${text}${index}`, text]))
    const { id, symbol } = await waiting({ metadata })
    await open(page, symbol)
    await page.getByText(/checks pass/).waitFor()
    await page.getByText('From the sender').click()
    for (const text of HOSTILE) await page.getByText(text, { exact: true }).waitFor()
    assert.equal(await page.locator('main :is(img, script, svg[onload])').count(), 0)
    assert.match(await page.title(), /Approvals/)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('heading', { name: `Bought 10 ${symbol}` }).waitFor()
    assert.equal((await recordOf(id)).status, 'executed')
  })
})
