/* The closed forms behind the page "Try it" and the figure of the landing page, in double precision and without a loop over n:
   weights, the distribution of one column of signs, the network. tests/test_play.py holds them against polycore. */
"use strict";

const closedForms = (() => {
  const DIGITS = 9; // of every probability from 1e-280 on, as tested
  const MOST = 1e4; // scores in the smaller part of a mixed background: the sum over them has 38 √MOST terms at most
  const TIE = 2 ** -46; // a sum this close to the threshold, in parts of it, equals it and does not exceed it

  const sum = (terms) => terms.reduce((total, term) => total + term, 0);

  /* Nodes and weights of Gauss and Legendre on [0, 1], by Newton's method. */
  const GAUSS = Array.from({ length: 48 }, (_, place, order = 48) => {
    let x = Math.cos((Math.PI * (place + 0.75)) / (order + 0.5)), slope;
    for (let step = 0; step < 8; step++) {
      let [before, value] = [1, x];
      for (let k = 2; k <= order; k++) [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
      slope = (order * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    return [(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)];
  });

  /* ln k! less Stirling's formula, k >= 1. */
  function stirlingError(k) {
    if (k > 15) return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / k / k) / k / k) / k / k) / k / k) / k;
    let factorial = 1;
    for (let j = 2; j <= k; j++) factorial *= j;
    return Math.log(factorial) - (k + 0.5) * Math.log(k) + k - Math.log(2 * Math.PI) / 2;
  }

  /* Pr[σ₁ + … + σ_n = s] for random signs, |s| <= n of the parity of n; Loader's form, without differences of large numbers. */
  function equal(n, s) {
    if (Math.abs(s) === n) return 2 ** -n;
    const plus = (n + s) / 2, minus = (n - s) / 2, x = s / n;
    const divergence = (n / 2) * (Math.log1p(-x * x) + 2 * x * Math.atanh(x));
    const correction = stirlingError(n) - stirlingError(plus) - stirlingError(minus);
    return Math.exp(correction - divergence) * Math.sqrt(n / (2 * Math.PI * plus * minus));
  }

  /* Pr[σ₁ + … + σ_n >= s], s of the parity of n. For s > 0, k = (n + s)/2, it is an incomplete beta integral,
     k Pr[= s] ∫₀¹ (1 - y)^(k-1) (1 + y)^(n-k) dy, whose integrand falls from 1 and is below e^-40 from `end` on. */
  function atLeast(n, s) {
    if (s > n) return 0;
    if (s <= -n) return 1;
    if (s <= 0) return 1 - atLeast(n, 2 - s);
    const [a, b] = [n - 1, s - 1], end = Math.min(1, 80 / (b + Math.sqrt(b * b + 80 * a)));
    const integrand = (y) => Math.exp((a / 2) * Math.log1p(-y * y) - b * Math.atanh(y));
    return ((n + s) / 2) * equal(n, s) * end * sum(GAUSS.map(([node, weight]) => weight * integrand(end * node)));
  }

  /* Pr[weight (σ₁ + … + σ_n) > limit]; `scale` is the size of the numbers whose difference the limit is. */
  function above(n, weight, limit, scale) {
    const reached = limit + TIE * scale;
    if (weight === 0) return reached < 0 ? 1 : 0;
    const odd = n % 2, reach = Math.max(-n - 2, Math.min(n + 2, reached / weight));
    return atLeast(n, 2 * Math.floor((reach - odd) / 2) + 2 + odd);
  }

  /* The weight of one entry of each class [score, count] at degree β, from quotients by the largest score, or by softmax at a
     temperature, from differences; of an empty one 0. */
  function weights(classes, beta, temperature) {
    const top = Math.max(...classes.map(([score, count]) => (count > 0 ? score : 0)));
    const power = (z) => Math.exp(temperature ? (z - top) / temperature
      : beta * (z > top / 2 ? Math.log1p((z - top) / top) : Math.log(z / top)));
    const powers = classes.map(([score, count]) => (count > 0 ? power(score) : 0));
    const total = sum(classes.map(([, count], place) => count * powers[place]));
    return powers.map((one) => one / total);
  }

  /* Pr[spike σ₀ + one (n₁ signs) + other (n₂ signs) > τ] for [weight, count] twice: the smaller count is summed over. */
  function column(spike, one, other, tau) {
    const [[weight, few], [rest, many]] = one[1] < other[1] ? [one, other] : [other, one];
    const reach = Math.min(few, 2 * Math.ceil(19 * Math.sqrt(few)) + (few % 2)); // beyond it less than 1e-312 is left
    let total = 0;
    for (const up of [-spike, spike])
      for (let s = -reach; s <= reach; s += 2)
        total += (equal(few, s) / 2) * above(many, rest, tau - up - weight * s, tau + spike + weight * Math.abs(s));
    return total;
  }

  /* What m independent columns do, each of which exceeds the threshold with probability p. */
  const network = (p, m) => ({ exceeds: p, fires: -Math.expm1(m * Math.log1p(-p)), silent: Math.exp(m * Math.log1p(-p)) });

  /* The number of columns that the chapters take, ⌈C log₂(n/δ)⌉ for δ = 0.01. */
  const columns = (n, C = 7) => Math.ceil(C * Math.log2(100 * n));

  const STEPS = 24; // slots in which a factor √2 of sizes is cut

  /* What m columns do whose head fires when they are of one size, the largest square less than twice the smallest. The smallest
     lies in one of 2 STEPS slots around the norm, the others within √2 of that slot's first end, or of its second: two bounds. */
  function oneSize(spike, one, other, m) {
    const norm = Math.hypot(spike, ...[one, other].map(([weight, count]) => weight * Math.sqrt(count)));
    const end = (place) => norm * 2 ** ((place - STEPS) / (2 * STEPS));
    const beyond = Array.from({ length: 3 * STEPS + 1 }, (_, place) => 2 * column(spike, one, other, end(place)));
    const within = (first, last) => Math.max(0, beyond[first] - beyond[last]) ** m;
    const bound = (last) => sum(beyond.slice(0, 2 * STEPS).map((_, slot) => within(slot, slot + last) - within(slot + 1, slot + last)));
    const outside = (1 - beyond[STEPS]) ** m + beyond[2 * STEPS] ** m; // the smallest lies in no slot
    return { fires: Math.min(1, bound(STEPS + 1) + outside), silent: Math.max(0, 1 - bound(STEPS)) };
  }

  /* For each head its threshold if it has one, r being the ratio (h/ℓ)^β, the ends of its window, for L = log(v/h) and
     H = log(h/ℓ), and C where it takes more columns. */
  const HEADS = {
    fixed: { threshold: ({ tau }) => tau, ends: (L, H) => [1 / L, 1 / H] },
    falling: {
      threshold: ({ n, m }, r) => Math.sqrt(Math.log(100 * m * n) / (2 * n)) * (Math.sqrt(r) + 1 / Math.sqrt(r)),
      ends: (L, H) => [2 * L > H ? 1 / (2 * L - H) : Infinity, 1 / H],
    },
    next: { threshold: (_, r) => 1 - 1 / (3 * r), ends: (L, H) => [L > H ? 1 / (L - H) : Infinity, Infinity] },
    size: { threshold: () => NaN, ends: (L, H) => [1 / (2 * L), 1 / (2 * H)], C: 21 },
  };

  /* One list of scores: `few` of the background are h and the others ℓ, without the spike v (d0) and with it (d1); by softmax
     where there is a temperature. */
  function scores(given) {
    const { n, kappa, low, high, spike, few, m, head = "fixed", temperature } = given;
    const beta = kappa * Math.log2(n), ratio = temperature ? Math.exp((high - low) / temperature) : (high / low) ** beta;
    const tau = HEADS[head].threshold(given, ratio);
    const answer = (others, spikes) => {
      const some = Math.min(few, others), rest = others - some;
      const [one, other, top] = weights([[high, some], [low, rest], [spike, spikes]], beta, temperature);
      const law = [spikes * top, [one, some], [other, rest]];
      const answered = head === "size" ? oneSize(...law, m) : network(column(...law, tau), m);
      const classes = [["v", spikes, top], ["h", some, one], ["ℓ", rest, other]];
      return { weight: spikes ? top : some ? one : other, classes, ...answered };
    };
    const [lower, upper] = HEADS[head].ends(Math.log2(spike / high), Math.log2(high / low));
    const answers = { d0: answer(n, 0), d1: answer(n - 1, 1) };
    return { n, beta, tau, ...answers, lower, upper, hopeless: 1 / Math.log2(spike / low), columns: columns(n, HEADS[head].C) };
  }

  /* Scores where the network finds them hardest: a spike against hs (d1); and 1, 8 or 32 hs among ℓs, whichever make it fire most
     (d0). Columns are of one size most often with one h. */
  function hardest(given) {
    const [against, ...others] = [given.n, 1, ...(given.head === "size" ? [] : [8, 32])].map((few) => scores({ ...given, few }));
    return { ...against, d0: others.map(({ d0 }) => d0).reduce((most, one) => (one.fires > most.fires ? one : most)) };
  }

  /* The paper's data, with the columns that the chapters take. */
  const papers = (given) => hardest({ low: 2, high: 4, tau: 0.2, m: columns(given.n, HEADS[given.head].C), ...given });

  /* How many of at most n tokens fill whole blocks of d - 2. */
  const whole = ({ n, d }) => Math.floor(n / (d - 2)) * (d - 2);

  /* Tokens: n = (d - 2) t of them, the special one with the excess a₀ (d0) or a₁ (d1); four kinds of entries come out. */
  function tokens({ n, kappa, a0, a1, b, d, tau, m, temperature }) {
    const all = whole({ n, d }), t = all / (d - 2), beta = kappa * Math.log2(all);
    const answer = (a) => {
      const [special, other] = weights([[1 + a, 1], [1, all - 1]], beta, temperature);
      const [first, block, rest] = [a * special, b * (special + (t - 1) * other), b * t * other];
      let p = 0;
      for (const one of [-first, first])
        for (const two of [-block, block])
          for (const last of [b - 1, 1 - b]) p += above(d - 3, rest, tau - one - two - last, tau + first + block + 1 - b) / 8;
      return { weight: special, classes: [["special", 1, special], ["others", all - 1, other]], ...network(p, m) };
    };
    const critical = (a) => (tau <= 1 - b ? 0 : tau < 1 + a ? 1 / Math.log2(1 + a) : Infinity);
    return { n: all, beta, d0: answer(a0), d1: answer(a1), lower: critical(a1), upper: critical(a0), columns: columns(all) };
  }

  /* The weights of a row of scores of a trained head: by softmax, or by a power of degree p. NaN where none is left. */
  function row(given, rule, p) {
    const top = Math.max(...given), far = Math.max(...given.map(Math.abs));
    const power = {
      softmax: (s) => Math.exp(s - top),
      clipped: (s) => Math.max(0, 1 + s / p) ** p,
      shifted: (s) => Math.max(0, 1 + (s - top) / p) ** p,
      even: (s) => (s / far) ** p,
    }[rule];
    const powers = given.map(power), all = powers.reduce((sum, x) => sum + x, 0);
    return powers.map((x) => x / all);
  }

  return { DIGITS, MOST, HEADS, atLeast, weights, scores, hardest, papers, whole, tokens, columns, row };
})();
