import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { useStack } from '#test/support/stack-hooks.ts'
import type { Stack } from '#test/support/stack.ts'
import { buildApp, serveApp } from './served-app.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** What a browser is told to be like. */
export interface Device {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
}

/** The application in a browser, on a whole service. */
export interface App {
  readonly stack: Stack
  readonly origin: string
  /** A browser of its own, with nothing kept from others. */
  browse(device?: Device): Promise<Page>
  /** Another one, signed in and at the approvals. */
  signIn(device?: Device): Promise<Page>
}

/** Chromium, the built application and a service for the enclosing `describe`; call at the top of it. */
export function useApp(): App {
  const service = useStack()
  let browser: Browser | undefined
  let served: Awaited<ReturnType<typeof serveApp>> | undefined
  let folder: string
  const contexts: BrowserContext[] = []
  const faults: string[] = []

  before(async function () {
    this.timeout(120_000)
    assert.ok(
      existsSync(CHROMIUM),
      `No browser at ${CHROMIUM}: install Debian's package chromium, or name another Chromium by CHROMIUM`,
    )
    folder = await mkdtemp(join(tmpdir(), 'web-app-'))
    await buildApp(folder)
    served = await serveApp(folder, service.stack.addresses.api)
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
  })
  afterEach('no violation of the policy and no error in the console', async () => {
    for (const context of contexts.splice(0)) await context.close()
    assert.deepEqual(faults.splice(0), [])
  })
  after(async () => {
    await browser?.close()
    served?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const app: App = {
    get stack() {
      return service.stack
    },
    get origin() {
      assert.ok(served)
      return served.origin
    },
    async browse({ width = 1440, height = 900, theme = 'light' } = {}) {
      assert.ok(browser)
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: 'reduce',
        hasTouch: width < 800,
        timezoneId: 'Europe/Berlin',
        locale: 'en-US',
      })
      contexts.push(context)
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(String(error)))
      page.on('console', (message) => {
        // The browser itself writes of each refusal that the service answers with; those are part of the tests.
        const isRejection =
          message.text().startsWith('Failed to load resource') && message.location().url.includes('/api/')
        // And of a connection that a test has cut; a stream that breaks is told without its address.
        const isCut = message.text() === 'Failed to load resource: net::ERR_INTERNET_DISCONNECTED'
        if (message.type() === 'error' && !isRejection && !isCut) faults.push(message.text())
      })
      page.setDefaultTimeout(10_000)
      return page
    },
    async signIn(device) {
      const page = await app.browse(device)
      await page.goto(`${app.origin}/approvals`)
      await fillSignIn(page, app.stack.person)
      await page.getByText('live', { exact: true }).filter({ visible: true }).waitFor()
      return page
    },
  }
  return app
}

export async function fillSignIn(page: Page, person: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** What axe finds against WCAG 2.2 AA, a line for each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // By the debugger's protocol, which the page's policy does not bind.
  await page.evaluate(axe.source)
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
  const found = await page.evaluate<AxeResults>(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })`)
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  )
}
