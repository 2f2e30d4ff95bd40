/** Seconds as readable text: `4.2 s`, `3 min 05 s`, `2 h 10 min`, `3 d 4 h`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const two = (value: number): string => String(value).padStart(2, '0')
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`
  const hours = Math.round(seconds / 3600)
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
