import {
  CandlestickSeries,
  createSeriesMarkers,
  LineStyle,
  type IChartApi,
  type ISeriesApi,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts'
import { useEffect, useRef } from 'react'
import { newChart, chartColors, type ChartColors, usePalette } from '../parts/chart.ts'
import type { Bar } from './data.ts'

/** A fill to be drawn: an entry or an exit. */
export interface Mark {
  at: string
  isBuy: boolean
  /** Such as "buy 40". */
  text: string
}

interface Props {
  label: string
  bars: readonly Bar[]
  isDaily: boolean
  marks: readonly Mark[]
  /** Dollars a share; what the position has cost, where one is held. */
  cost: number | null
}

const secondsOf = (instant: string): number => Math.floor(Date.parse(instant) / 1_000)
const timeOf = (bar: Bar, isDaily: boolean): Time =>
  isDaily ? bar.at.slice(0, 10) : (secondsOf(bar.at) as UTCTimestamp)

/** The newest bar that begins no later than an instant; undefined before the first. */
function barAt(bars: readonly Bar[], instant: string): Bar | undefined {
  const at = Date.parse(instant)
  return bars.findLast((bar) => Date.parse(bar.at) <= at)
}

/**
 * Bars with what was bought and sold drawn into them. Falling bars are filled, so that colour is not alone. Another
 * theme, and bars of another length, are drawn anew.
 */
export const BarsChart = (props: Props) => <Drawn key={`${usePalette()} ${props.isDaily}`} {...props} />

function Drawn({ label, bars, isDaily, marks, cost }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const parts = useRef<{ chart: IChartApi; series: ISeriesApi<'Candlestick'>; colors: ChartColors }>(null)
  useEffect(() => {
    if (!host.current) return undefined
    const colors = chartColors(host.current)
    const chart = newChart(host.current, colors)
    const series = chart.addSeries(CandlestickSeries, {
      upColor: colors.surface,
      borderUpColor: colors.up,
      wickUpColor: colors.up,
      downColor: colors.down,
      borderDownColor: colors.down,
      wickDownColor: colors.down,
      priceLineColor: colors.text,
      priceLineStyle: LineStyle.Dotted,
    })
    parts.current = { chart, series, colors }
    return () => {
      parts.current = null
      chart.remove()
    }
  }, [])
  useEffect(() => {
    if (!parts.current) return
    const { chart, series } = parts.current
    const isFirst = series.data().length === 0
    series.setData(
      bars.map((bar) => ({
        time: timeOf(bar, isDaily),
        open: bar.open,
        high: bar.high,
        low: bar.low,
        close: bar.close,
      })),
    )
    if (!isFirst) return
    // As many bars as can be told apart at this width; later ones leave the view where a person has moved it.
    const shown = Math.max(40, Math.floor((host.current?.clientWidth ?? 600) / 9))
    chart.timeScale().setVisibleLogicalRange({ from: Math.max(0, bars.length - shown), to: bars.length + 2 })
  }, [bars, isDaily])
  useEffect(() => {
    if (!parts.current) return undefined
    const { series, colors } = parts.current
    const drawn = marks.flatMap(({ at, isBuy, text }): SeriesMarker<Time>[] => {
      const bar = barAt(bars, at)
      return bar
        ? [
            {
              time: timeOf(bar, isDaily),
              position: isBuy ? 'belowBar' : 'aboveBar',
              shape: isBuy ? 'arrowUp' : 'arrowDown',
              color: colors.text,
              text,
            },
          ]
        : []
    })
    const markers = createSeriesMarkers(series, drawn)
    const line =
      cost === null
        ? undefined
        : series.createPriceLine({
            price: cost,
            color: colors.muted,
            lineStyle: LineStyle.Dashed,
            lineWidth: 1,
            title: 'cost',
          })
    return () => {
      // The chart itself may be gone by now, and its parts with it.
      if (!parts.current) return
      markers.detach()
      if (line) series.removePriceLine(line)
    }
  }, [bars, marks, cost, isDaily])
  return <div ref={host} role="img" aria-label={label} className="h-72 desk:h-90" />
}
