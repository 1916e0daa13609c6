import assert from 'node:assert/strict'
import axe, { type AxeResults } from 'axe-core'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { COUNT_TABLES } from '#db/engine/count-store.ts'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import type { StackOptions } from '#test/support/stack-parts.ts'
import type { Stack } from '#test/support/stack.ts'
import { tool } from '#test/support/tools.ts'
import { builtApp } from './built-app.ts'

/** What a browser is told to be like. */
export interface Device {
  width?: number
  height?: number
  theme?: 'light' | 'dark'
  /** Of the screen for each of the page. */
  pixels?: number
  /** Of its clock, by the IANA name. */
  zone?: string
  /** With a service worker; without one requests reach the routes that a test has set. */
  hasWorker?: boolean
  /** The browser lets the app show notifications. */
  mayNotify?: boolean
}

/** The application in a browser, on a whole service. */
export interface App {
  readonly stack: Stack
  readonly origin: string
  /** A browser of its own, with nothing kept from others. */
  browse(device?: Device): Promise<Page>
  /** Signs in where a page asks for it, and waits until news arrive. */
  signInAt(page: Page): Promise<void>
  /** Another one, signed in and at the approvals. */
  signIn(device?: Device): Promise<Page>
  /** With the product's own limits: goes on as if nobody had asked for anything yet. */
  forgetCounts(): Promise<void>
}

/** What the browser itself writes of a refusal or a lost connection. Both are part of tests; other files are not. */
const isAnswerOfApi = (text: string, url: string): boolean =>
  text.startsWith('Failed to load resource') && (/\/(api\/|readyz$)/.test(url) || text.includes('net::ERR_'))

/**
 * Chromium and a service that serves the built application, for the enclosing `describe`; call at the top of it. Whatever
 * a test does, no script may fail, nothing may be written as an error to the console, and nothing may violate the
 * Content-Security-Policy.
 */
export function useApp(options?: StackOptions): App {
  let executablePath: string
  before('the web app is built', async function () {
    this.timeout(300_000)
    executablePath = await tool('chromium')
    await builtApp()
  })
  const service = useStack({ ...options, api: { RATE_LIMITS: 'on', ...options?.api } })
  let browser: Browser | undefined
  const contexts: BrowserContext[] = []
  const faults: string[] = []

  before(async function () {
    this.timeout(60_000)
    browser = await chromium.launch({
      executablePath,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
  })
  beforeEach('nothing is counted yet', () => app.forgetCounts())
  afterEach('no violation of the policy and no error in the console', async () => {
    for (const context of contexts.splice(0)) await context.close()
    assert.deepEqual(faults.splice(0), [])
  })
  after(() => browser?.close())

  const app: App = {
    get stack() {
      return service.stack
    },
    get origin() {
      return service.stack.addresses.api
    },
    async browse({
      width = 1440,
      height = 900,
      theme = 'light',
      pixels = 1,
      zone = 'Europe/Berlin',
      hasWorker = false,
      mayNotify = false,
    } = {}) {
      assert.ok(browser)
      const context = await browser.newContext({
        viewport: { width, height },
        deviceScaleFactor: pixels,
        colorScheme: theme,
        reducedMotion: 'reduce',
        hasTouch: width < 800,
        timezoneId: zone,
        locale: 'en-US',
        serviceWorkers: hasWorker ? 'allow' : 'block',
        permissions: mayNotify ? ['notifications'] : [],
      })
      contexts.push(context)
      context.setDefaultTimeout(10_000)
      context.on('page', (page) => {
        page.on('pageerror', (error) => faults.push(String(error)))
        page.on('console', (message) => {
          if (message.type() === 'error' && !isAnswerOfApi(message.text(), message.location().url))
            faults.push(message.text())
        })
      })
      return await context.newPage()
    },
    async forgetCounts() {
      for (const table of Object.values(COUNT_TABLES)) await service.stack.query(`delete from ${table}`)
    },
    async signInAt(page) {
      await fillSignIn(page, app.stack.person)
      await page.getByText('live', { exact: true }).filter({ visible: true }).waitFor()
    },
    async signIn(device) {
      const page = await app.browse(device)
      await page.goto(`${app.origin}/approvals`)
      await app.signInAt(page)
      return page
    },
  }
  return app
}

/** Waits until the service worker answers for a page. */
export const workerOf = (page: Page): Promise<void> =>
  eventually(async () =>
    assert.ok(await page.evaluate<boolean>('navigator.serviceWorker.controller !== null')),
  )

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

/** A desk, a phone, and a page at 400 %. */
export const WIDTHS = [1440, 390, 320]

/** Holds what is in sight to WCAG 2.2 AA, to the width of the page and to buttons that a finger meets, at each width. */
export async function assertFits(page: Page, name: string, widths = WIDTHS): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 })
    // The bars lie over whatever is scrolled below them.
    await page.evaluate('scrollTo(0, 0)')
    assert.deepEqual(await accessibilityFaults(page), [], `${name} at ${width} px`)
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    assert.ok(wide <= 0, `${name}: ${wide} px too wide at ${width} px`)
    for (const button of await page.getByRole('button').filter({ visible: true }).all()) {
      const box = await button.boundingBox()
      const isWhole = !box || (box.x >= 0 && box.x + box.width <= width && (width > 800 || box.height >= 40))
      assert.ok(isWhole, `${name} at ${width} px: ${await button.innerText()} is cut off or small`)
    }
  }
}
