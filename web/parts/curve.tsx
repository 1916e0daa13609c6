import { AreaSeries, LineSeries, LineStyle, type Time } from 'lightweight-charts'
import { useEffect, useRef } from 'react'
import { money } from '../words/figures.ts'
import { newChart, chartColors, drawn, usePalette } from './chart.ts'

interface Point {
  /** A day, YYYY-MM-DD, or an instant in seconds since 1970. */
  date: string | number
  value: number
}

interface Props {
  /** Its meaning, and the table with the same values. */
  label: string
  /** Oldest first, in dollars. */
  points: readonly Point[]
  /** Values to compare with, as a dashed line. */
  beside?: readonly Point[]
  className?: string
}

/** Chart of a value over time, redrawn with the theme. */
export const Curve = (props: Props) => <Drawn key={usePalette()} {...props} />

const placed = ({ date, value }: Point) => ({ time: date as Time, value })

function Drawn({ label, points, beside, className = 'h-60' }: Props) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return undefined
    const colors = chartColors(host.current)
    const chart = newChart(host.current, colors)
    const series = chart.addSeries(AreaSeries, {
      lineColor: colors.accent,
      topColor: `${colors.accent}38`,
      bottomColor: `${colors.accent}00`,
      lineWidth: 2,
      priceLineVisible: false,
      priceFormat: { type: 'custom', formatter: (value: number) => money(value).replace(/\.\d\d$/, '') },
    })
    series.setData(points.map(placed))
    if (beside) {
      const line = chart.addSeries(LineSeries, {
        color: colors.muted,
        lineWidth: 2,
        lineStyle: LineStyle.Dashed,
        priceLineVisible: false,
        lastValueVisible: false,
      })
      line.setData(beside.map(placed))
    }
    chart.timeScale().fitContent()
    drawn(host.current)
    return () => chart.remove()
  }, [points, beside])
  return <div ref={host} data-chart="" role="img" aria-label={label} className={className} />
}
