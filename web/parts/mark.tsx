export const Mark = () => (
  <svg viewBox="0 0 24 24" aria-hidden="true" className="size-6 shrink-0">
    <rect width="24" height="24" rx="6" className="fill-text" />
    <path
      d="M5 16.5l4.5-5 3.5 3 6-7.5"
      className="fill-none stroke-surface"
      strokeWidth="2.2"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
    <circle cx="19" cy="7" r="1.9" className="fill-surface" />
  </svg>
)
