import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import type { App } from '../browser.ts'
import { DEVICES, type State } from './catalog.ts'

const FOLDER = join(REPOSITORY, 'docs', 'images', 'web')

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
  readonly isPhone: boolean
  /** Writes the picture of what is in sight. */
  take(page: Page, state: State): Promise<void>
  /** Opens an address, waits for the words and until everything is read, and takes its picture. */
  show(page: Page, path: string, words: string | RegExp, state: State): Promise<void>
}

/** Waits until the page is connected and nothing of it is still read. */
export async function isAtRest(page: Page): Promise<void> {
  await page.getByText('live', { exact: true }).filter({ visible: true }).first().waitFor()
  await page.locator('.waiting-shape').first().waitFor({ state: 'detached' })
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
        await writeFile(join(FOLDER, `${state}-${device.name}.webp`), Buffer.from(webp, 'base64'))
      }
      await scene({
        device,
        isPhone: device.width < 800,
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
