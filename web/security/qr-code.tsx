import { qrPath } from './qr.ts'

/** A QR code, dark on light in both themes, because many readers accept only that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = qrPath(text)
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-50 shrink-0 rounded-control bg-on-fill"
    >
      <path d={path} fill="black" />
    </svg>
  )
}
