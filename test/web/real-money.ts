import type { Page } from 'playwright-core'
import type { App } from './browser.ts'

/** Does something while the person's account is one of real money and their mode is LIVE; needs LIVE_TRADING. */
export async function realMoney(app: App, act: () => Promise<void>): Promise<void> {
  const { accountId } = app.stack
  const become = async (isDemo: boolean): Promise<void> => {
    await app.stack.query(`update accounts set is_demo = ${isDemo} where id = '${accountId}'`)
    await app.stack.query(`update users set trading_mode = '${isDemo ? 'PAPER' : 'LIVE'}'`)
  }
  await become(false)
  try {
    await act()
  } finally {
    await become(true)
  }
}

/** As if the last proof of everybody were older than the service takes. */
export const forgetProofs = (app: App) =>
  app.stack.query(`update sessions set verified_at = now() - interval '10 minutes'`)

/** Answers the question for a fresh proof by the password. */
export async function prove(page: Page, app: App): Promise<void> {
  const proof = page.getByRole('alertdialog', { name: 'Confirm your identity' })
  await proof.getByLabel('Password').fill(app.stack.person.password)
  await proof.getByRole('button', { name: 'Go on' }).click()
}
