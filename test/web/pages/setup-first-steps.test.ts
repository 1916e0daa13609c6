import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { ApiClient } from '#test/support/api-client.ts'
import { useApp } from '../browser.ts'

describe('the first steps in the web app', function () {
  this.timeout(120_000)
  const app = useApp()

  it('lead from an empty installation to a first signal, by the app alone', async () => {
    const person = await app.stack.signIn()
    const { body: brokers } = await person.get('/brokers')
    for (const { id } of brokers.data.brokers)
      assert.equal((await person.delete(`/brokers/${id}`)).status, 200)
    const { body: tokens } = await person.get('/tokens')
    for (const { id } of tokens.data.tokens) assert.equal((await person.delete(`/tokens/${id}`)).status, 200)
    const keys = { keyId: `PK${randomBytes(6).toString('hex')}`, secretKey: randomBytes(12).toString('hex') }
    await app.stack.venue.openAccount(keys, 50_000)

    const page = await app.signIn({ width: 390, height: 844 })
    await page.goto(`${app.origin}/`)
    await page.getByText('No account yet').waitFor()
    const steps = page.getByRole('list', { name: 'First steps' })
    await steps.getByRole('link', { name: 'Connect' }).click()

    await page.getByRole('heading', { name: 'Connect a broker' }).waitFor()
    await page.getByLabel('Broker', { exact: true }).selectOption('Paper venue')
    await page.getByLabel('API key ID').fill(keys.keyId)
    await page.getByLabel('API secret key').fill('wrong')
    await page.getByRole('button', { name: 'Try the keys and connect' }).click()
    const refusal = page.getByRole('alert').filter({ hasText: 'Not connected' })
    await refusal.getByText('The broker does not accept the keys (account: 401)').waitFor()
    assert.equal((await person.get('/brokers')).body.data.brokers.length, 0, 'nothing is stored')

    // Copied with a space at its end.
    await page.getByLabel('API secret key').fill(`${keys.secretKey} `)
    await page.getByRole('button', { name: 'Try the keys and connect' }).click()
    await page.getByRole('heading', { name: 'Paper venue is connected' }).waitFor()
    await page.getByText('$50,000.00').first().waitFor()

    await page.getByRole('link', { name: 'Make a token for signals' }).click()
    await page.getByLabel('Name').fill('my bot')
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.getByText('It is shown this once').waitFor()
    const token = await page.getByLabel('Token', { exact: true }).innerText()
    const command = await page.getByRole('region', { name: 'curl' }).innerText()
    assert.ok(command.includes(`${app.origin}/api/v1/signals'`), command)
    assert.ok(command.includes(`Authorization: Bearer ${token}'`), command)
    const body = JSON.parse(/-d '(.*)'$/s.exec(command)![1]!)
    await page.getByRole('link', { name: 'I have copied it' }).click()
    await page.getByRole('row', { name: 'my bot' }).waitFor()
    assert.ok(!(await page.content()).includes(token), 'it is nowhere any more')

    await page.goto(`${app.origin}/`)
    await steps.getByText('4. Send a first signal, to do').waitFor()
    const sent = await new ApiClient(app.origin, token).post('/signals', body)
    assert.equal(sent.status, 201, JSON.stringify(sent.body))
    await steps.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Decide' }).click()
    await page.getByRole('heading', { name: 'AAPL' }).waitFor()
    await page.getByText('my bot').first().waitFor()
  })
})
