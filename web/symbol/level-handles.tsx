import type { ISeriesApi } from 'lightweight-charts'
import { ChevronsUpDown } from 'lucide-react'
import { useRef, type KeyboardEvent, type PointerEvent } from 'react'
import { decimal } from '#domain/money/decimal.ts'
import { tickAt } from '#domain/money/price-tick.ts'
import { money } from '../words/figures.ts'

/** Waiting price in dollars a share. */
export interface Level {
  price: number
  /** Text such as "sell 5, limit". */
  title: string
  /** Kind of an exit level, which stays in view. */
  kind?: 'entry' | 'stop' | 'target'
  /** Signal of the exit. */
  signalId?: string
}

/** A level drawn elsewhere: its index in the list, and dollars a share. */
export interface Moved {
  at: number
  price: number
}

interface Props {
  /** Levels as drawn. */
  levels: readonly Level[]
  series: ISeriesApi<'Candlestick'>
  /** Draws a level elsewhere; null restores it. */
  show: (moved: Moved | null) => void
  /** Called when a level was dropped at another price. */
  ask: (moved: Moved) => void
}

/** Pixels of movement before a press becomes a drag. */
const TREMBLES_PX = 3

const KEY_STEPS: Readonly<Record<string, number>> = {
  ArrowUp: 1,
  ArrowRight: 1,
  ArrowDown: -1,
  ArrowLeft: -1,
}

/** Levels that the exit states; others follow from the fill, or are orders of their own. */
const isMovable = ({ kind }: Level): boolean => kind === 'stop' || kind === 'target'

const tickOf = (price: number): number => Number(tickAt(decimal(price)))
const inTicks = (price: number): number => {
  const tick = tickOf(Math.max(price, 0.0001))
  return Math.max(tick, Number((Math.round(price / tick) * tick).toFixed(4)))
}

/** Pixels from the top of the chart. */
const yOf = ({ clientY, currentTarget }: PointerEvent): number =>
  clientY - currentTarget.parentElement!.getBoundingClientRect().top

/** Handles for exit levels, by mouse, finger or keys; a move sends nothing. */
export function LevelHandles({ levels, series, show, ask }: Props) {
  const grab = useRef({ pointer: -1, y: 0, fromLine: 0, isDrag: false })
  const distance = (level: Level, y: number): number =>
    isMovable(level) ? Math.abs((series.priceToCoordinate(level.price) ?? Infinity) - y) : Infinity
  const press = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return
    const y = yOf(event)
    // The nearer line is taken if two are close together.
    const [nearest] = levels
      .map((level, at) => ({ at, away: distance(level, y) }))
      .toSorted((a, b) => a.away - b.away)
    const handle = document.getElementById(idOf(levels[nearest!.at]!))
    const line = series.priceToCoordinate(levels[nearest!.at]!.price)
    grab.current = { pointer: event.pointerId, y, fromLine: y - (line ?? y), isDrag: false }
    handle?.setPointerCapture(event.pointerId)
    handle?.focus({ preventScroll: true })
    event.preventDefault()
  }
  /** Price of the dragged line; null before a drag, and after Escape. */
  const dragged = (event: PointerEvent<HTMLElement>): number | null => {
    const y = yOf(event)
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return null
    grab.current.isDrag ||= Math.abs(y - grab.current.y) > TREMBLES_PX
    return grab.current.isDrag ? series.coordinateToPrice(y - grab.current.fromLine) : null
  }
  const drag = (event: PointerEvent<HTMLElement>, at: number, tell: (moved: Moved) => void): void => {
    const price = dragged(event)
    if (price !== null) tell({ at, price: inTicks(price) })
  }
  const key = (event: KeyboardEvent<HTMLElement>, at: number): void => {
    const steps = KEY_STEPS[event.key]
    const { price } = levels[at]!
    if (steps !== undefined)
      show({ at, price: inTicks(price + steps * tickOf(price) * (event.shiftKey ? 10 : 1)) })
    // A held key would reach the question, and answer it.
    else if (event.key === 'Enter' && !event.repeat) ask({ at, price })
    else if (event.key === 'Escape') {
      if (event.currentTarget.hasPointerCapture(grab.current.pointer))
        event.currentTarget.releasePointerCapture(grab.current.pointer)
      show(null)
    } else return
    event.preventDefault()
  }
  return levels.map((level, at) =>
    isMovable(level) ? (
      <div
        key={idOf(level)}
        id={idOf(level)}
        role="slider"
        tabIndex={0}
        aria-label={`${level.title}, in the chart`}
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={level.price * 2}
        aria-valuenow={level.price}
        aria-valuetext={money(level.price)}
        className="absolute left-0 h-11 -translate-y-1/2 cursor-ns-resize touch-none select-none"
        onPointerDown={press}
        onPointerMove={(event) => drag(event, at, show)}
        onPointerUp={(event) => drag(event, at, ask)}
        onLostPointerCapture={() => show(null)}
        onKeyDown={(event) => key(event, at)}
        onBlur={() => show(null)}
      >
        <span className="absolute top-1/2 left-2 -translate-y-1/2 rounded-control border border-edge bg-surface p-0.5">
          <ChevronsUpDown aria-hidden="true" className="size-4" />
        </span>
      </div>
    ) : null,
  )
}

const idOf = ({ signalId, kind }: Level): string => `level-${kind}-${signalId}`

/** Puts each handle at its line, and hides it out of view, unless a drag put it there. */
export function placeHandles(frame: HTMLElement, series: ISeriesApi<'Candlestick'>, axisWidth: number): void {
  for (const handle of frame.querySelectorAll<HTMLElement>('[role=slider]')) {
    const y = series.priceToCoordinate(Number(handle.getAttribute('aria-valuenow')))
    const isOut = y === null || y < 0 || y > frame.clientHeight
    handle.hidden = isOut && document.activeElement !== handle
    handle.style.top = `${y ?? 0}px`
    handle.style.right = `${axisWidth}px`
  }
}
