import { AreaSeries } from 'lightweight-charts'
import { useEffect, useRef } from 'react'
import { money } from '../words/figures.ts'
import { newChart, chartColors, usePalette } from './chart.ts'

interface Props {
  /** What it shows, and that a table tells the same. */
  label: string
  /** Days, oldest first, in dollars. */
  points: readonly { date: string; value: number }[]
  className?: string
}

/** A value day by day; drawn anew in the colours of another theme. */
export const Curve = (props: Props) => <Drawn key={usePalette()} {...props} />

function Drawn({ label, points, className = 'h-60' }: Props) {
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
    series.setData(points.map(({ date, value }) => ({ time: date, value })))
    chart.timeScale().fitContent()
    return () => chart.remove()
  }, [points])
  return <div ref={host} role="img" aria-label={label} className={className} />
}
