/** The roles of the palette that a chart draws with. */
const ROLES = {
  text: '--color-text',
  muted: '--color-muted',
  line: '--color-line',
  surface: '--color-surface',
  up: '--color-buy',
  down: '--color-sell',
  accent: '--accent',
} as const
export type ChartColors = Record<keyof typeof ROLES, string>

/**
 * The palette as it is now, in the theme and mode of the page, as `#rrggbb`: what draws on a canvas does not know
 * `light-dark()` and `oklch()`, so that a pixel of each colour is painted and read.
 */
export function chartColors(host: Element): ChartColors {
  const probe = document.createElement('span')
  host.append(probe)
  const canvas = document.createElement('canvas')
  canvas.width = 1
  canvas.height = 1
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  const read = (role: string): string => {
    probe.style.color = `var(${role})`
    context.fillStyle = getComputedStyle(probe).color
    context.fillRect(0, 0, 1, 1)
    const [red, green, blue] = context.getImageData(0, 0, 1, 1).data
    return `#${[red, green, blue].map((part) => (part ?? 0).toString(16).padStart(2, '0')).join('')}`
  }
  const colors = Object.fromEntries(Object.entries(ROLES).map(([name, role]) => [name, read(role)]))
  probe.remove()
  return colors as ChartColors
}
