"""Small functions with hand-written gradients: on a CPU their memory traffic, not their arithmetic, costs time.

Each is checked against plain autograd in the tests.
"""
import torch


def inverse_rms(x: torch.Tensor, eps: float) -> torch.Tensor:
    """1 / rms over the last dimension; float32 where x is narrower."""
    wide = x.float() if x.dtype == torch.bfloat16 else x
    return torch.linalg.vector_norm(wide, dim=-1, keepdim=True).square_().div_(x.shape[-1]).add_(eps).rsqrt_()


class _RmsNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        inverse = inverse_rms(x, eps)
        normal = (x * inverse).to(x.dtype)
        ctx.save_for_backward(normal, inverse, weight)
        return normal * weight

    @staticmethod
    def backward(ctx, grad):
        normal, inverse, weight = ctx.saved_tensors
        product = grad * normal
        grad_weight = product.sum(0)
        mean = torch.mv(product, weight).div_(weight.shape[0])[:, None]
        grad_x = grad * weight
        grad_x.addcmul_(normal, mean, value=-1).mul_(inverse)
        return grad_x, grad_weight, None


def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """x / rms(x) · weight over the last dimension of [rows, width]."""
    return _RmsNorm.apply(x, weight, eps)


def _turn(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    half = x.shape[-1] // 2
    out = x * cos
    out[..., :half].addcmul_(x[..., half:], sin[..., :half], value=-1)
    out[..., half:].addcmul_(x[..., :half], sin[..., half:])
    return out


class _QkNormRope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, cos, sin, eps):
        inverse = inverse_rms(x, eps)
        normal = (x * inverse).to(x.dtype)
        ctx.save_for_backward(normal, inverse, scale, cos, sin)
        return _turn(normal * scale, cos, sin)

    @staticmethod
    def backward(ctx, grad):
        normal, inverse, scale, cos, sin = ctx.saved_tensors
        grad = _turn(grad, cos, -sin)  # the inverse rotation
        product = grad * normal
        grad_scale = product.sum(0)
        mean = (product * scale).mean(-1, keepdim=True)
        grad_x = grad.mul_(scale)
        grad_x.addcmul_(normal, mean, value=-1).mul_(inverse)
        return grad_x, grad_scale, None, None, None


def qk_norm_rope(x, scale, cos, sin, eps):
    """Per-head normalisation, its weight, and the rotary turn: x [rows, heads, width], scale [heads, width]."""
    return _QkNormRope.apply(x, scale, cos, sin, eps)


class _Rope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, cos, sin):
        ctx.save_for_backward(cos, sin)
        return _turn(x, cos, sin)

    @staticmethod
    def backward(ctx, grad):
        cos, sin = ctx.saved_tensors
        return _turn(grad, cos, -sin), None, None


def rope(x, cos, sin):
    """The rotary turn alone: x [rows, heads, width]."""
    return _Rope.apply(x, cos, sin)


class _SwiGlu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, both):
        ctx.save_for_backward(both)
        gate, up = both.chunk(2, -1)
        return torch.nn.functional.silu(gate).mul_(up)

    @staticmethod
    def backward(ctx, grad):
        (both,) = ctx.saved_tensors
        gate, up = both.chunk(2, -1)
        out = torch.empty_like(both)
        out_gate, out_up = out.chunk(2, -1)
        torch.mul(grad, torch.nn.functional.silu(gate), out=out_up)
        torch.ops.aten.silu_backward.grad_input(grad * up, gate, grad_input=out_gate)
        return out


def swiglu(both: torch.Tensor) -> torch.Tensor:
    """silu(gate) · up for [rows, 2 · width] = gate beside up."""
    return _SwiGlu.apply(both)
