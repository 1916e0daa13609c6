import { existsSync, mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import type { App } from '../browser.ts'

/** Pictures that the README or a page shows; the others are looked at and thrown away. */
const SHOWN = join(REPOSITORY, 'docs', 'images', 'web')
const FOLDER = join(REPOSITORY, 'dist', 'pictures')

/** Where pictures are taken: a desk and a phone, in both themes. */
const DEVICES = [
  { name: 'desk-light', width: 1440, height: 900, theme: 'light' },
  { name: 'desk-dark', width: 1440, height: 900, theme: 'dark' },
  { name: 'phone-light', width: 390, height: 844, theme: 'light', pixels: 2 },
  { name: 'phone-dark', width: 390, height: 844, theme: 'dark', pixels: 2 },
] as const

/** Chromium's own encoder, by the canvas: a tenth of the bytes of the PNG that a screenshot is. */
const encoded = (png: string): string => `(async () => {
  const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob())
  const canvas = document.createElement('canvas')
  canvas.width = picture.width
  canvas.height = picture.height
  canvas.getContext('2d').drawImage(picture, 0, 0)
  return canvas.toDataURL('image/webp', 0.85).split(',')[1]
})()`

type Device = (typeof DEVICES)[number]

export interface Camera {
  readonly device: Device
  /** Writes the picture of the part of the page that is in sight: the page and its state are its name. */
  take(page: Page, state: string): Promise<void>
  /** Opens an address, waits for the words and until everything is read, and takes its picture. */
  show(page: Page, path: string, words: string | RegExp, state: string): Promise<void>
}

/** Waits until the page is connected and nothing of it is still read. */
export async function isAtRest(page: Page): Promise<void> {
  await page.getByText('live', { exact: true }).filter({ visible: true }).first().waitFor()
  await page.locator('.waiting-shape').first().waitFor({ state: 'detached' })
  // Charts are loaded after the page, and draw a frame later.
  await page.locator('[data-chart]:not([data-drawn])').first().waitFor({ state: 'detached' })
}

/** Takes the pictures of a subject once on each device. */
export function pictures(app: App, subject: string, scene: (camera: Camera) => Promise<void>): void {
  for (const device of DEVICES)
    it(`show ${subject} as ${device.name}`, async () => {
      mkdirSync(FOLDER, { recursive: true })
      const darkroom = await app.browse()
      const take: Camera['take'] = async (page, state) => {
        const png = await page.screenshot({ animations: 'disabled' })
        const webp = await darkroom.evaluate<string>(encoded(png.toString('base64')))
        const name = `${state}-${device.name}.webp`
        const shown = join(SHOWN, name)
        await writeFile(existsSync(shown) ? shown : join(FOLDER, name), Buffer.from(webp, 'base64'))
      }
      await scene({
        device,
        take,
        show: async (page, path, words, state) => {
          await page.goto(app.origin + path)
          await page.locator('#main').getByText(words).filter({ visible: true }).first().waitFor()
          await isAtRest(page)
          await take(page, state)
        },
      })
    })
}
